r"a" B'b' u"" bR"c" Rb'''d''' Ur"e" bu"f" x"g" rbr"h" _r"i"
