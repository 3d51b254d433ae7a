f(a,

  # c
  [b
  ])
)
g(
