-- The backfill is over: the owner is bound by row-level security again.
drop policy search_backfill on search_terms;
drop policy search_backfill on customers;
drop policy search_backfill on products;
drop policy search_backfill on checkout_sessions;
