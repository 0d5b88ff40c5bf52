import { defineEvent } from '../../platform/db/events.ts'
import type { ShownAccount } from './provider-account.ts'
import { ProviderAccountObject, present } from './schema.ts'

const told = (verb: string, about: string, example: { object?: object; before?: object } = {}) =>
  defineEvent<ShownAccount>({
    type: `provider_account.${verb}`,
    about,
    schema: ProviderAccountObject,
    present,
    example: { ...example, object: { hold: null, check: null, checked_at: null, ...example.object } },
  })

const hold = { reason: 'Maintenance at the acquirer', until_at: '2026-11-14T14:00:00.000Z' }

export const providerAccountCreated = told('created', 'An account of a provider was created.')

export const providerAccountUpdated = told(
  'updated',
  'Something about an account of a provider changed: its settings, its status, its secret or the result of its check; `previous` holds what it was.',
  { before: { status: 'disabled' } },
)

export const providerAccountHeld = told(
  'held',
  'An account of a provider gets no new payments until the time that `hold` says.',
  { object: { hold }, before: { hold: null } },
)

export const providerAccountReleased = told(
  'released',
  'An account of a provider that was held gets new payments again, by request or because the hold has ended.',
  { before: { hold } },
)

const breaker = (authorize: string, next_probe_at: string | null) => ({
  breaker: { authorize, rest: 'closed' },
  next_probe_at,
  last_hour: { attempts: 120, approved: 61, declined: 9, technical: 48, unknown: 2, p50_ms: 412 },
})
const [isOpen, isClosed] = [breaker('open', '2026-11-14T12:00:30.000Z'), breaker('closed', null)]

export const providerAccountDegraded = told(
  'degraded',
  'Half of the latest calls to an account of a provider failed at the provider. Its breaker is open: payments go to other accounts first, until it is well again.',
  { object: { health: isOpen }, before: { health: isClosed } },
)

export const providerAccountRecovered = told(
  'recovered',
  'An account of a provider that was degraded is well again, and gets its payments as before.',
  { object: { health: isClosed }, before: { health: breaker('probing', '2026-11-14T12:00:32.000Z') } },
)

export const providerAccountCredentialsRefused = told(
  'credentials_refused',
  'The provider of an account does not accept our credentials, so no payment can succeed there. It is told again by the hour, and at once if a new secret is refused too.',
)

export const providerAccountEvents = [
  providerAccountCreated,
  providerAccountUpdated,
  providerAccountHeld,
  providerAccountReleased,
  providerAccountDegraded,
  providerAccountRecovered,
  providerAccountCredentialsRefused,
]
