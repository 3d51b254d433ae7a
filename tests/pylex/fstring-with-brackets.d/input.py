f"{ {'a': b}[c] } {(lambda x: y)(z)} {w:=4}"
