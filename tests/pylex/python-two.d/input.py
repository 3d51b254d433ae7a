print >>f, "a" % 0777L, 10l, 0xFFL
exec code in d
if a <> b: raise E, "x"
except E, e: ur"c" Ur'd' 1Lx
