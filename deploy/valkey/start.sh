# Starts Valkey without a file, with the password of REDISCLI_AUTH. What would end first gives way first.
set -eu
exec valkey-server - <<END
save ""
appendonly no
dir /tmp
maxmemory 384mb
maxmemory-policy volatile-ttl
requirepass "$REDISCLI_AUTH"
END
