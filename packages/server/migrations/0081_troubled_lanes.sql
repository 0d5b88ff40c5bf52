-- Outside a transaction. Every process reads all of it once a second, so it holds what is not well and nothing else.
create index concurrently if not exists provider_health_troubled on provider_health (next_probe_at)
  where state = 'open' or credentials_refused_since is not null;
