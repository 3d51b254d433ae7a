print `a`, b
c = `d
e
