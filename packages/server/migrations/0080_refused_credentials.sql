-- Since when a provider rejects the credentials of an account; null while it accepts them.
alter table provider_health add column credentials_refused_since timestamptz;
grant select (credentials_refused_since) on provider_health to switchyard_due;
