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

export const providerAccountEvents = [
  providerAccountCreated,
  providerAccountUpdated,
  providerAccountHeld,
  providerAccountReleased,
]
