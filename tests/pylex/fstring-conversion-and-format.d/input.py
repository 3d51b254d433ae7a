f"{a!r:>{b}.{c.d}} {e=!s} {f!=g} {h:%H:%M}"
