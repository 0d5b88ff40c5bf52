import type { Deps } from '../../deps.ts'
import { operation } from '../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../platform/http/pages.ts'
import type { ShownAccount } from './provider-account.ts'
import { HealthQuery, HealthSeriesObject, presentSeries } from './schema/health.ts'
import { RotateSecret } from './schema/secret.ts'
import {
  CreateProviderAccount,
  HoldProviderAccount,
  ProviderAccountObject,
  ProviderAccountPath,
  present,
  presentRevealed,
  RevealedAccountObject,
  UpdateProviderAccount,
} from './schema.ts'
import { checkProviderAccount } from './service/check.ts'
import { getHealth } from './service/figures.ts'
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
const version = (account: ShownAccount) => account.version

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
      'An account with a provider, to which payments can be sent from now on. The secret that both sides sign with is in the answer, this once. A workspace has at most 50 that are not archived.',
    body: CreateProviderAccount,
    status: 201,
    answer: RevealedAccountObject,
    shownOnce: ['secret'],
    refuses: ['conflict', 'limit_reached', 'test_mode_only', 'url_not_allowed'],
    present: presentRevealed,
    version,
    verb: ({ caller, body }) => createProviderAccount(deps, caller, body),
  }),
  operation({
    id: 'provider_accounts.list',
    method: 'GET',
    path: '/provider-accounts',
    summary: 'List provider accounts',
    description: 'Newest first. Secrets are never shown again.',
    query: PageQuery({}),
    answer: PageOf(ProviderAccountObject),
    refuses: ['invalid_cursor'],
    present: presentPage('/provider-accounts', present),
    verb: ({ caller, query }) =>
      listProviderAccounts(deps, caller, rangeOf('provider_account', caller.mode, query)),
  }),
  operation({
    id: 'provider_accounts.get',
    method: 'GET',
    path,
    summary: 'Get a provider account',
    description: 'Answers one account with how it fares, without its secret.',
    params: ProviderAccountPath,
    answer: ProviderAccountObject,
    refuses: ['not_found'],
    present,
    version,
    verb: ({ caller, params }) => getProviderAccount(deps, caller, params.provider_account_id),
  }),
  operation({
    id: 'provider_accounts.update',
    method: 'PUT',
    path,
    summary: 'Change a provider account',
    description:
      'Members that are not sent stay as they are, those of `config`, `capabilities` and `metadata` too. With another `base_url` it has to be checked anew.',
    params: ProviderAccountPath,
    body: UpdateProviderAccount,
    answer: ProviderAccountObject,
    refuses: ['not_found', 'invalid_state', 'conflict', 'version_mismatch', 'url_not_allowed'],
    takesIfMatch: true,
    present,
    version,
    verb: ({ caller, params, body, ifMatch }) =>
      updateProviderAccount(deps, caller, params.provider_account_id, { ...body, ifMatch }),
  }),
]

const statusOperations = (deps: Deps) => [
  operation({
    id: 'provider_accounts.enable',
    method: 'POST',
    path: `${path}/enable`,
    summary: 'Enable a provider account',
    description: 'It gets new payments again, from every route that names it.',
    params: ProviderAccountPath,
    answer: ProviderAccountObject,
    refuses: ['not_found', 'invalid_state', 'conflict'],
    present,
    version,
    verb: ({ caller, params }) => enableProviderAccount(deps, caller, params.provider_account_id),
  }),
  operation({
    id: 'provider_accounts.disable',
    method: 'POST',
    path: `${path}/disable`,
    summary: 'Disable a provider account',
    description: 'It gets no new payments. Captures and refunds of earlier ones go on.',
    params: ProviderAccountPath,
    answer: ProviderAccountObject,
    refuses: ['not_found', 'invalid_state', 'conflict'],
    present,
    version,
    verb: ({ caller, params }) => disableProviderAccount(deps, caller, params.provider_account_id),
  }),
  operation({
    id: 'provider_accounts.archive',
    method: 'POST',
    path: `${path}/archive`,
    summary: 'Archive a provider account',
    description:
      'For good. It is refused while something that was sent there has not ended, and while a published payment route sends payments to it.',
    params: ProviderAccountPath,
    answer: ProviderAccountObject,
    refuses: ['not_found', 'invalid_state', 'conflict'],
    present,
    version,
    verb: ({ caller, params }) => archiveProviderAccount(deps, caller, params.provider_account_id),
  }),
]

const holdOperations = (deps: Deps) => [
  operation({
    id: 'provider_accounts.hold',
    method: 'POST',
    path: `${path}/hold`,
    summary: 'Hold a provider account for a while',
    description: 'Until `until_at` it gets no new payments. Holding it again replaces reason and end.',
    params: ProviderAccountPath,
    body: HoldProviderAccount,
    answer: ProviderAccountObject,
    refuses: ['not_found', 'invalid_state', 'conflict'],
    present,
    version,
    verb: ({ caller, params, body }) => holdProviderAccount(deps, caller, params.provider_account_id, body),
  }),
  operation({
    id: 'provider_accounts.release',
    method: 'POST',
    path: `${path}/release`,
    summary: 'End the hold of a provider account',
    description: 'It gets new payments again, before the time that the hold named.',
    params: ProviderAccountPath,
    answer: ProviderAccountObject,
    refuses: ['not_found', 'invalid_state', 'conflict'],
    present,
    version,
    verb: ({ caller, params }) => releaseProviderAccount(deps, caller, params.provider_account_id),
  }),
]

const providerOperations = (deps: Deps) => [
  operation({
    id: 'provider_accounts.health',
    method: 'GET',
    path: `${path}/health`,
    summary: 'Say how a provider account fares',
    description:
      'What became of its calls over a time, step by step, for a chart, and its breakers as they are now. Figures are kept for 90 days.',
    params: ProviderAccountPath,
    query: HealthQuery,
    answer: HealthSeriesObject,
    refuses: ['not_found'],
    present: presentSeries,
    verb: ({ caller, params, query }) => getHealth(deps, caller, params.provider_account_id, query),
  }),
  operation({
    id: 'provider_accounts.check',
    method: 'POST',
    path: `${path}/check`,
    summary: 'Check the provider of an account',
    description:
      'Asks it whether it keeps the promises of the protocol, and waits for what comes of it: `check` says what is wrong. In the test environment this makes payments with a test card; in the live one nothing is asked that moves money.',
    params: ProviderAccountPath,
    answer: ProviderAccountObject,
    refuses: ['not_found', 'invalid_state', 'conflict'],
    limit: { perMinute: 10 },
    present,
    version,
    verb: ({ caller, params }) => checkProviderAccount(deps, caller, params.provider_account_id),
  }),
  operation({
    id: 'provider_accounts.rotate_secret',
    method: 'POST',
    path: `${path}/rotate_secret`,
    summary: 'Give a provider account a new secret',
    description:
      'It is in the answer, this once. The earlier one goes on beside it for `overlap_seconds`, a day by default: requests carry a signature by each, and either is taken from the provider.',
    params: ProviderAccountPath,
    body: RotateSecret,
    answer: RevealedAccountObject,
    shownOnce: ['secret'],
    refuses: ['not_found', 'invalid_state', 'conflict', 'too_many_secrets'],
    present: presentRevealed,
    version,
    verb: ({ caller, params, body }) => rotateSecret(deps, caller, params.provider_account_id, body),
  }),
]
