// A back end of PyTorch in the memory of the host, for tests. It can only add; the host computes
// everything else.
#include <ATen/ATen.h>
#include <ATen/EmptyTensor.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/InferSize.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/as_strided_cpu_dispatch.h>
#include <cstdlib>
#include <cstring>
#include <c10/core/Allocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>

namespace {

constexpr auto KIND = c10::DeviceType::PrivateUse1;

struct Guard final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return KIND; }
  c10::Device exchangeDevice(c10::Device) const override { return {KIND, 0}; }
  c10::Device getDevice() const override { return {KIND, 0}; }
  void setDevice(c10::Device) const override {}
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  c10::Stream getStream(c10::Device d) const noexcept override { return c10::Stream(c10::Stream::DEFAULT, d); }
  c10::Stream exchangeStream(c10::Stream) const noexcept override {
    return c10::Stream(c10::Stream::DEFAULT, c10::Device(KIND, 0));
  }
  c10::DeviceIndex deviceCount() const noexcept override { return 1; }
  bool queryStream(const c10::Stream&) const override { return true; }
  void synchronizeStream(const c10::Stream&) const override {}
};
C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard);

struct Hooks final : at::PrivateUse1HooksInterface {
  bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
};
const bool hooked = (at::RegisterPrivateUse1HooksInterface(new Hooks), true);

struct Memory final : c10::Allocator {
  c10::DataPtr allocate(size_t n) override {
    void* at = std::malloc(n ? n : 1);
    TORCH_CHECK_WITH(OutOfMemoryError, at, "out of memory on the toy device");
    return {at, at, &std::free, c10::Device(KIND, 0)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &std::free; }
  void copy_data(void* to, const void* from, size_t n) const override { std::memcpy(to, from, n); }
};
Memory memory;
REGISTER_ALLOCATOR(KIND, &memory);

at::Tensor empty(c10::IntArrayRef size, std::optional<at::ScalarType> dtype,
                 std::optional<at::Layout>, std::optional<at::Device>, std::optional<bool>,
                 std::optional<at::MemoryFormat> format) {
  return at::detail::empty_generic(size, &memory, c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
                                   c10::dtype_or_default(dtype), format);
}

at::Tensor empty_strided(c10::IntArrayRef size, c10::IntArrayRef stride,
                         std::optional<at::ScalarType> dtype, std::optional<at::Layout>,
                         std::optional<at::Device>, std::optional<bool>) {
  return at::detail::empty_strided_generic(size, stride, &memory,
                                           c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
                                           c10::dtype_or_default(dtype));
}

// Returns a tensor of the host in the same memory.
at::Tensor seen(const at::Tensor& t) {
  return at::from_blob(t.data_ptr(), t.sizes(), t.strides(), at::TensorOptions(t.scalar_type()));
}

at::Tensor copy_from(const at::Tensor& self, const at::Tensor& dst, bool) {
  const at::AutoDispatchBelowAutograd below;
  seen(dst).copy_(seen(self));
  return dst;
}

at::Tensor copy_from_and_resize(const at::Tensor& self, const at::Tensor& dst) {
  at::native::resize_(dst, self.sizes(), std::nullopt);
  return copy_from(self, dst, false);
}

const at::Tensor& resize(const at::Tensor& self, c10::IntArrayRef size,
                         std::optional<at::MemoryFormat>) {
  auto* impl = self.unsafeGetTensorImpl();
  const auto bytes = c10::multiply_integers(size) * self.element_size();
  auto storage = impl->unsafe_storage();
  if (storage.nbytes() < static_cast<size_t>(bytes)) {
    auto ptr = memory.allocate(bytes);
    std::memcpy(ptr.get(), storage.data(), storage.nbytes());
    storage.set_data_ptr_noswap(std::move(ptr));
    storage.set_nbytes(bytes);
  }
  impl->set_sizes_contiguous(size);
  return self;
}

at::Tensor add(const at::Tensor& self, const at::Tensor& other, const at::Scalar& alpha) {
  auto shape = at::infer_size(self.sizes(), other.sizes());
  auto type = at::result_type(self, other);
  at::Tensor out = at::empty(shape, self.options().device(c10::Device(KIND, 0)).dtype(type));
  at::Tensor to = seen(out);
  at::add_out(to, seen(self), seen(other), alpha);
  return out;
}

at::Scalar scalar(const at::Tensor& self) { return seen(self).item(); }

at::Tensor view(const at::Tensor& self, c10::SymIntArrayRef size) {
  auto sizes = at::infer_size_dv(C10_AS_INTARRAYREF_SLOW(size), self.numel());
  auto stride = at::detail::computeStride(self.sizes(), self.strides(), sizes);
  TORCH_CHECK(stride.has_value(), "view: the strides do not fit");
  return self.as_strided(sizes, *stride);
}

void on_host(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  at::native::cpu_fallback(op, stack);
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", empty);
  m.impl("empty_strided", empty_strided);
  m.impl("as_strided", at::cpu::as_strided);
  m.impl("view", view);
  m.impl("resize_", resize);
  m.impl("_copy_from", copy_from);
  m.impl("_copy_from_and_resize", copy_from_and_resize);
  m.impl("_local_scalar_dense", scalar);
  m.impl("add.Tensor", add);
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&on_host>());
}
