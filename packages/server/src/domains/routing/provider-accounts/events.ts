import { defineEvent } from '../../../platform/db/events.ts'
import type { AccountDetails } from './provider-account.ts'
import { ProviderAccountObject, present } from './schema.ts'

const accountEvent = (verb: string, about: string, example: { object?: object; before?: object } = {}) =>
  defineEvent<AccountDetails>({
    type: `provider_account.${verb}`,
    about,
    schema: ProviderAccountObject,
    present,
    example: { ...example, object: { hold: null, check: null, checked_at: null, ...example.object } },
  })

const hold = { reason: 'Maintenance at the acquirer', until_at: '2026-11-14T14:00:00.000Z' }

export const providerAccountCreated = accountEvent('created', 'A provider account was created.')

export const providerAccountUpdated = accountEvent(
  'updated',
  'A provider account was updated. Its settings, status, secret or check result changed; `previous` contains the old values.',
  { before: { status: 'disabled' } },
)

export const providerAccountHeld = accountEvent(
  'held',
  'A provider account was put on hold. It receives no new payments until the time in `hold`.',
  { object: { hold }, before: { hold: null } },
)

export const providerAccountReleased = accountEvent(
  'released',
  'The hold of a provider account ended, on request or because it expired. It receives new payments again.',
  { before: { hold } },
)

const breaker = (authorize: string, next_probe_at: string | null) => ({
  breaker: { authorize, rest: 'closed' },
  next_probe_at,
  credentials_refused_since: null,
  last_hour: { attempts: 120, approved: 61, declined: 9, technical: 48, unknown: 2, p50_ms: 412 },
})
const [isOpen, isClosed] = [breaker('open', '2026-11-14T12:00:30.000Z'), breaker('closed', null)]

export const providerAccountDegraded = accountEvent(
  'degraded',
  'Half of the latest calls to a provider account failed at the provider, and its circuit breaker opened. Other accounts are tried first until it recovers.',
  { object: { health: isOpen }, before: { health: isClosed } },
)

export const providerAccountRecovered = accountEvent(
  'recovered',
  'A degraded provider account recovered and receives payments as before.',
  { object: { health: isClosed }, before: { health: breaker('probing', '2026-11-14T12:00:32.000Z') } },
)

export const providerAccountCredentialsRefused = accountEvent(
  'credentials_refused',
  'The provider rejects the credentials of a provider account, so that no payment can succeed there. The event is repeated every hour, and immediately if a new secret is also rejected.',
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
