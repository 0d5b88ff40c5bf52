-- How often a payer has come back from the page of the provider, and when last: see `payments/service/complete.ts`.
alter table operations add column returns int not null default 0;
alter table operations add column returned_at timestamptz;
