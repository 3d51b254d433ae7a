# jadore801120/attention-is-all-you-need-pytorch
import torch
from transformer.Models import Transformer
from transformer.Optim import ScheduledOptim
from transformer.Translator import Translator


def go():
    model = Transformer(
        20,
        20,
        0,
        0,
        d_word_vec=32,
        d_model=32,
        d_inner=32,
        n_layers=2,
        n_head=2,
        d_k=16,
        d_v=16,
        n_position=50,
    )
    src, trg = torch.randint(1, 20, (2, 7)), torch.randint(1, 20, (2, 7))
    opt = ScheduledOptim(torch.optim.Adam(model.parameters()), 1.0, 32, 10)
    pred = model(src, trg)
    import train

    opt.zero_grad()
    loss, a, b = train.cal_performance(pred, trg[:, :7].contiguous().view(-1), 0, smoothing=True)
    loss.backward()
    opt.step_and_update_lr()
    train.cal_loss(pred.detach(), trg.contiguous().view(-1), 0, smoothing=False)
    Translator(model, 2, 10, 0, 0, 2, 3).translate_sentence(src[:1])


attempt(go)
