-- The parameters of a payer's return that was throttled, until they are sent to the provider.
alter table operations add column return_params jsonb;
