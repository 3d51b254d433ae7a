a # it's "b"
c
#