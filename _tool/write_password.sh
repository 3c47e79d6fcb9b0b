#!/bin/sh
# Writes the passwords of docker-compose.yml, drawn at random, into a file that only its owner can read. A file that is
# there stays as it is: the database keeps the password that it was made with.
#
# usage: write_password.sh FILE
set -eu

file=$1
if [ -e "$file" ]; then
	echo "$file is there already; it stays. To draw new passwords: docker compose down --volumes, rm $file, make env"
	exit 0
fi
# 32 hexadecimal digits.
secret() { od -An -N16 -tx1 /dev/urandom | tr -d ' \n'; }
umask 077
rm -f "$file.new" # one that is there might be readable by others
{
	echo "# Made by make env for docker-compose.yml. Keep it to yourself."
	echo "POSTGRES_PASSWORD=$(secret)"
	echo "TRACKER_TOKEN=$(secret)"
	echo "JUPYTER_TOKEN=$(secret)"
} >"$file.new"
mv "$file.new" "$file"
echo "$file is written; next: docker compose up --wait postgres tracker jupyter"
