import type { Deps } from '../../../deps.ts'
import { operation } from '../../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../../platform/http/pagination.ts'
import { comparableRequest } from './credentials.ts'
import type { AccountDetails } from './provider-account.ts'
import { HealthQuery, HealthSeriesObject, presentSeries } from './schema/health.ts'
import {
  CreateProviderAccount,
  HoldProviderAccount,
  ProviderAccountObject,
  ProviderAccountPath,
  present,
  presentRevealed,
  RevealedAccountObject,
  RotateSecret,
  UpdateProviderAccount,
} from './schema.ts'
import { checkProviderAccount } from './service/check.ts'
import { getHealthSeries } from './service/health-series.ts'
import { holdProviderAccount, releaseProviderAccount } from './service/hold.ts'
import { rotateSecret } from './service/secrets.ts'
import {
  archiveProviderAccount,
  createProviderAccount,
  disableProviderAccount,
  enableProviderAccount,
  getProviderAccount,
  listProviderAccounts,
  updateProviderAccount,
} from './service.ts'

const path = '/provider-accounts/:provider_account_id'
const version = (account: AccountDetails) => account.version

export const providerAccountOperations = (deps: Deps) => [
  ...settingsOperations(deps),
  ...statusOperations(deps),
  ...holdOperations(deps),
  ...providerOperations(deps),
]

const settingsOperations = (deps: Deps) => [
  operation({
    id: 'provider_accounts.create',
    method: 'POST',
    path: '/provider-accounts',
    summary: 'Create a provider account',
    description:
      'Adds an account with a provider, which can receive payments immediately. For a connector, send its `credentials` and `config.settings`. For a custom provider, the signing secret is returned only once, in this response. A workspace can have at most 50 accounts that are not archived.',
    body: CreateProviderAccount,
    bodyForIdempotency: comparableRequest,
    status: 201,
    response: RevealedAccountObject,
    shownOnce: ['secret'],
    errors: ['conflict', 'limit_reached', 'test_mode_only', 'url_not_allowed'],
    present: presentRevealed,
    version,
    handle: ({ caller, body }) => createProviderAccount(deps, caller, body),
  }),
  operation({
    id: 'provider_accounts.list',
    method: 'GET',
    path: '/provider-accounts',
    summary: 'List provider accounts',
    description: 'Returns provider accounts, newest first. Secrets are not included.',
    query: PageQuery({}),
    response: PageOf(ProviderAccountObject),
    errors: ['invalid_cursor'],
    present: presentPage('/provider-accounts', present),
    handle: ({ caller, query }) =>
      listProviderAccounts(deps, caller, rangeOf('provider_account', caller.mode, query)),
  }),
  operation({
    id: 'provider_accounts.get',
    method: 'GET',
    path,
    summary: 'Get a provider account',
    description: 'Returns a provider account with its health. The secret is not included.',
    params: ProviderAccountPath,
    response: ProviderAccountObject,
    errors: ['not_found'],
    present,
    version,
    handle: ({ caller, params }) => getProviderAccount(deps, caller, params.provider_account_id),
  }),
  operation({
    id: 'provider_accounts.update',
    method: 'PUT',
    path,
    summary: 'Update a provider account',
    description:
      'Omitted fields are unchanged, including those in `config`, `capabilities` and `metadata`. After a change of `base_url`, the account must be checked again. Settings of a connector that identify the account at the provider cannot be changed.',
    params: ProviderAccountPath,
    body: UpdateProviderAccount,
    response: ProviderAccountObject,
    errors: ['not_found', 'invalid_state', 'conflict', 'version_mismatch', 'url_not_allowed'],
    takesIfMatch: true,
    present,
    version,
    handle: ({ caller, params, body, ifMatch }) =>
      updateProviderAccount(deps, caller, params.provider_account_id, { ...body, ifMatch }),
  }),
]

const statusOperations = (deps: Deps) => [
  operation({
    id: 'provider_accounts.enable',
    method: 'POST',
    path: `${path}/enable`,
    summary: 'Enable a provider account',
    description: 'Allows new payments again, from every route that uses the account.',
    params: ProviderAccountPath,
    response: ProviderAccountObject,
    errors: ['not_found', 'invalid_state', 'conflict'],
    present,
    version,
    handle: ({ caller, params }) => enableProviderAccount(deps, caller, params.provider_account_id),
  }),
  operation({
    id: 'provider_accounts.disable',
    method: 'POST',
    path: `${path}/disable`,
    summary: 'Disable a provider account',
    description: 'Prevents new payments. Existing payments can still be captured and refunded.',
    params: ProviderAccountPath,
    response: ProviderAccountObject,
    errors: ['not_found', 'invalid_state', 'conflict'],
    present,
    version,
    handle: ({ caller, params }) => disableProviderAccount(deps, caller, params.provider_account_id),
  }),
  operation({
    id: 'provider_accounts.archive',
    method: 'POST',
    path: `${path}/archive`,
    summary: 'Archive a provider account',
    description:
      'Archives the account permanently. Rejected while operations at the account are in progress, or while a published payment route uses it.',
    params: ProviderAccountPath,
    response: ProviderAccountObject,
    errors: ['not_found', 'invalid_state', 'conflict'],
    present,
    version,
    handle: ({ caller, params }) => archiveProviderAccount(deps, caller, params.provider_account_id),
  }),
]

const holdOperations = (deps: Deps) => [
  operation({
    id: 'provider_accounts.hold',
    method: 'POST',
    path: `${path}/hold`,
    summary: 'Put a provider account on hold',
    description: 'Prevents new payments until `until_at`. Calling it again replaces the reason and the end.',
    params: ProviderAccountPath,
    body: HoldProviderAccount,
    response: ProviderAccountObject,
    errors: ['not_found', 'invalid_state', 'conflict'],
    present,
    version,
    handle: ({ caller, params, body }) => holdProviderAccount(deps, caller, params.provider_account_id, body),
  }),
  operation({
    id: 'provider_accounts.release',
    method: 'POST',
    path: `${path}/release`,
    summary: 'Release the hold of a provider account',
    description: 'Allows new payments before the end of the hold.',
    params: ProviderAccountPath,
    response: ProviderAccountObject,
    errors: ['not_found', 'invalid_state', 'conflict'],
    present,
    version,
    handle: ({ caller, params }) => releaseProviderAccount(deps, caller, params.provider_account_id),
  }),
]

const providerOperations = (deps: Deps) => [
  operation({
    id: 'provider_accounts.health',
    method: 'GET',
    path: `${path}/health`,
    summary: 'Get the health of a provider account',
    description:
      'Returns a time series of call results for charts, and the current state of the circuit breakers. Data is kept for 90 days.',
    params: ProviderAccountPath,
    query: HealthQuery,
    response: HealthSeriesObject,
    errors: ['not_found'],
    present: presentSeries,
    handle: ({ caller, params, query }) => getHealthSeries(deps, caller, params.provider_account_id, query),
  }),
  operation({
    id: 'provider_accounts.check',
    method: 'POST',
    path: `${path}/check`,
    summary: 'Check a provider account',
    description:
      'Runs the conformance checks against the provider and waits for the result. `check` lists the failures. In the test environment, this creates payments with a test card. In the live environment, no call moves money. For a connector, one call that changes nothing checks the credentials.',
    params: ProviderAccountPath,
    response: ProviderAccountObject,
    errors: ['not_found', 'invalid_state', 'conflict'],
    limit: { perMinute: 10 },
    present,
    version,
    handle: ({ caller, params }) => checkProviderAccount(deps, caller, params.provider_account_id),
  }),
  operation({
    id: 'provider_accounts.rotate_secret',
    method: 'POST',
    path: `${path}/rotate_secret`,
    summary: 'Rotate the secret of a provider account',
    description:
      'Returns the new secret only once, in this response. The previous secret stays valid for `overlap_seconds`, one day by default: requests are signed with both secrets, and signatures of the provider are accepted with either. For a connector, send the new `credentials`; omitted ones keep their value, and `secret` is null.',
    params: ProviderAccountPath,
    body: RotateSecret,
    bodyForIdempotency: comparableRequest,
    response: RevealedAccountObject,
    shownOnce: ['secret'],
    errors: ['not_found', 'invalid_state', 'conflict', 'too_many_secrets'],
    present: presentRevealed,
    version,
    handle: ({ caller, params, body }) => rotateSecret(deps, caller, params.provider_account_id, body),
  }),
]
