-- The work that applies payment results to checkout sessions finds debits that were submitted.
grant select (settlement_expected_at) on payments to switchyard_due;
