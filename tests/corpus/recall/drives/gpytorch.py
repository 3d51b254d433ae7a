# gpytorch and linear_operator, from PyPI
import gpytorch
import torch


class Exact(gpytorch.models.ExactGP):
    def __init__(self, x, y, likelihood, kernel):
        super().__init__(x, y, likelihood)
        self.mean_module = gpytorch.means.ConstantMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(kernel)

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


x, y = torch.linspace(0, 1, 20), torch.sin(torch.linspace(0, 6, 20))
k = gpytorch.kernels
for kernel in (
    k.RBFKernel(),
    k.MaternKernel(nu=2.5),
    k.PeriodicKernel(),
    k.RQKernel(),
    k.LinearKernel(),
    k.CosineKernel(),
    k.PolynomialKernel(2),
    k.SpectralMixtureKernel(2),
):

    def go():
        likelihood = gpytorch.likelihoods.GaussianLikelihood()
        model = Exact(x, y, likelihood, kernel)
        opt = torch.optim.Adam(model.parameters(), lr=0.1)
        loss = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
        for _ in range(2):
            opt.zero_grad()
            out = -loss(model(x), y)
            out.sum().backward()
            opt.step()
        model.eval()
        likelihood.eval()
        with torch.no_grad(), gpytorch.settings.fast_pred_var():
            likelihood(model(x + 0.01)).confidence_region()

    attempt(go)
