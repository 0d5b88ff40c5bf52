-- What payments have cost according to settlement reports: sums of amounts and fees per provider account and segment, which
-- suffice to fit a fixed fee plus a percentage. They always equal the sums over the counted lines, because the statement
-- that changes a line also changes them: a line cannot be counted twice, and a failed import leaves nothing.
create table settled_costs (
  workspace_id        uuid not null,
  provider_account_id uuid not null,
  currency            text not null check (currency ~ '^[a-z]{3}$'),
  -- Empty if the report does not state it.
  card_brand          text not null,
  card_country        text not null,
  card_funding        text not null,
  -- The number of digits of the amount in minor units, minus 1: band 3 is from 1,000 to 9,999.
  amount_band         smallint not null check (amount_band between 0 and 18),
  lines               int8 not null check (lines >= 0),
  -- In minor units. Amounts have up to 15 digits, so their squares exceed int8.
  amounts             numeric not null,
  fees                numeric not null,
  amount_squares      numeric not null,
  products            numeric not null,
  fee_squares         numeric not null,
  primary key (workspace_id, provider_account_id, currency, card_brand, card_country, card_funding, amount_band),
  -- Without lines there are no sums.
  constraint sums_belong_to_lines check (
    lines > 0 or (amounts, fees, amount_squares, products, fee_squares) = (0, 0, 0, 0, 0))
);
alter table settled_costs enable row level security;
alter table settled_costs force row level security;
create policy own_workspace on settled_costs to switchyard_app
  using (workspace_id = current_workspace()) with check (workspace_id = current_workspace());
grant select, insert, update on settled_costs to switchyard_app;

-- Whether a line says what a payment has cost. A fee in another currency than the payment cannot be compared with its
-- amount. Lines of incomplete uploads are pending.
create function has_settled_cost(kind text, status text, import_id uuid, amount int8, currency text, settlement_currency text)
returns boolean language sql immutable parallel safe
return kind = 'payment' and status <> 'pending' and import_id is not null and amount > 0
  and currency = settlement_currency;

-- The planner expects many segments and would sort all lines on disk. Hashing the few segments is twice as fast.
create function count_settled_costs() returns trigger
language plpgsql set enable_sort = off as $$
begin
  if tg_op in ('INSERT', 'UPDATE') then
    with added as materialized (
      select workspace_id, provider_account_id, currency, coalesce(card_brand, ''), coalesce(card_country, ''),
        coalesce(card_funding, ''), length(amount::text) - 1, count(*), sum(amount), sum(fee), sum(amount * amount),
        sum(amount * fee), sum(fee * fee)
      from (
        select workspace_id, provider_account_id, currency, card_brand, card_country, card_funding, amount::numeric,
          (fee_processing + fee_scheme + fee_interchange)::numeric as fee
        from new_lines
        where has_settled_cost(kind, status, import_id, amount, currency, settlement_currency)) as line
      group by 1, 2, 3, 4, 5, 6, 7)
    insert into settled_costs as stored (workspace_id, provider_account_id, currency, card_brand, card_country,
      card_funding, amount_band, lines, amounts, fees, amount_squares, products, fee_squares)
    select * from added order by 1, 2, 3, 4, 5, 6, 7
    on conflict (workspace_id, provider_account_id, currency, card_brand, card_country, card_funding, amount_band)
    do update set lines = stored.lines + excluded.lines, amounts = stored.amounts + excluded.amounts,
      fees = stored.fees + excluded.fees, amount_squares = stored.amount_squares + excluded.amount_squares,
      products = stored.products + excluded.products, fee_squares = stored.fee_squares + excluded.fee_squares;
  end if;
  if tg_op in ('UPDATE', 'DELETE') then
    update settled_costs as stored
    set lines = stored.lines - gone.lines, amounts = stored.amounts - gone.amounts, fees = stored.fees - gone.fees,
      amount_squares = stored.amount_squares - gone.amount_squares, products = stored.products - gone.products,
      fee_squares = stored.fee_squares - gone.fee_squares
    from (
      select workspace_id, provider_account_id, currency, coalesce(card_brand, '') as card_brand,
        coalesce(card_country, '') as card_country, coalesce(card_funding, '') as card_funding,
        length(amount::text) - 1 as amount_band, count(*) as lines, sum(amount) as amounts, sum(fee) as fees,
        sum(amount * amount) as amount_squares, sum(amount * fee) as products, sum(fee * fee) as fee_squares
      from (
        select workspace_id, provider_account_id, currency, card_brand, card_country, card_funding, amount::numeric,
          (fee_processing + fee_scheme + fee_interchange)::numeric as fee
        from old_lines
        where has_settled_cost(kind, status, import_id, amount, currency, settlement_currency)) as line
      group by 1, 2, 3, 4, 5, 6, 7) as gone
    where stored.workspace_id = gone.workspace_id and stored.provider_account_id = gone.provider_account_id
      and stored.currency = gone.currency and stored.card_brand = gone.card_brand
      and stored.card_country = gone.card_country and stored.card_funding = gone.card_funding
      and stored.amount_band = gone.amount_band;
  end if;
  return null;
end
$$;
create trigger settled_costs_are_counted_insert after insert on settlement_lines
  referencing new table as new_lines for each statement execute function count_settled_costs();
create trigger settled_costs_are_counted_update after update on settlement_lines
  referencing old table as old_lines new table as new_lines for each statement execute function count_settled_costs();
create trigger settled_costs_are_counted_delete after delete on settlement_lines
  referencing old table as old_lines for each statement execute function count_settled_costs();
