# The commands for everyday work. Meson builds into build/; tools/setup installs what is missing.
#   make                    build/portmeter
#   make study              measure this machine and read the report
#   make test               every check and test; ONLY=PATTERN for some of them
#   make check              what needs no framework: checks, unit tests, command lines; ONLY=PATTERN
#   make coverage           what the unit tests reach of src/; ALL=1: what all tests reach
#   make bench [BENCH=x]    every benchmark, or one
#   make fuzz               the fuzz targets, FOR=60 seconds each; FUZZ=x for one, JOBS=2 at once
#   make soak               what takes longer than a test: 10,000 damaged databases, 90 stops per command, kills at every write, workflow managers, aarch64
#   make guards             takes each guard out and shows which test and which planted fault notices; ONLY=PATTERN, TARGET=PATTERN
#   make install            PREFIX=/usr/local, DESTDIR=
#   make uninstall          removes what install put there; the same PREFIX and DESTDIR
#   make dist               the packages of a release, in dist/: wheel, tarball, Debian package, sdist; MACHINE=aarch64
#   make clean              removes everything that was built
PREFIX ?= /usr/local

all:
	@tools/setup build
	@tools/build

study:
	@tools/setup build
	@tools/build
	@tools/study

test:
	@tools/setup test
	@tests/run $(if $(ONLY),--only '$(ONLY)')

check:
	@tools/setup test
	@tests/run --no-framework $(if $(ONLY),--only '$(ONLY)')

coverage:
	@tools/setup coverage
	@tools/coverage $(if $(ALL),--all)

bench:
	@tools/setup build
	@tools/build
	@tools/bench $(BENCH)

fuzz:
	@tools/setup fuzz
	@tests/fuzz/campaigns $(or $(FOR),60) $(FUZZ)

soak:
	@tools/setup test
	@tests/run --only build/
	@tests/soak/databases
	@tests/soak/snakemake
	@tests/soak/slurm
	@tests/soak/aarch64
	@tests/fault/writes --whole & writes=$$!; tests/fault/stops --moments 30; stops=$$?; wait $$writes && exit $$stops
	@tests/fault/thousand --whole
	@tests/fault/thousand --whole --pytorch

guards:
	@tools/setup test
	@tests/run --one-build --only build/
	@tests/guards/run $(if $(ONLY),--only '$(ONLY)') $(if $(TARGET),--target '$(TARGET)')

install:
	@tools/setup build
	@tools/build
	@meson configure build --prefix '$(abspath $(PREFIX))' > build/portmeter-build.log
	@ninja -C build > build/portmeter-build.log
	@meson install -C build --no-rebuild --quiet $(if $(DESTDIR),--destdir '$(abspath $(DESTDIR))')

uninstall:
	@rm -rf '$(DESTDIR)$(abspath $(PREFIX))/lib/portmeter'
	@cd '$(DESTDIR)$(abspath $(PREFIX))' && rm -f bin/portmeter share/man/man1/portmeter.1 share/man/man1/portmeter-*.1 \
	    share/bash-completion/completions/portmeter share/zsh/site-functions/_portmeter \
	    share/fish/vendor_completions.d/portmeter.fish

dist:
	@tools/setup $(if $(filter aarch64,$(MACHINE)),aarch64,dist)
	@tools/dist $(if $(MACHINE),--machine $(MACHINE))

clean:
	@rm -rf build build-sanitize build-fuzz build-soak build-coverage build-install build-static* build-libraries* dist

.PHONY: all study test check coverage bench fuzz soak guards install uninstall dist clean
