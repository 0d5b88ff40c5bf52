import type { Work } from '../../deps.ts'
import { dueIn } from '../../platform/db/due.ts'
import { endHold } from './service/hold.ts'
import { probeProviderAccount } from './service/probe.ts'
import { dueForProbing } from './store/health.ts'

export const releaseProviderAccounts: Work<'provider_account'> = {
  name: 'provider_account.release',
  key: 'provider_account',
  due: dueIn({
    work: 'provider_account.release',
    kind: 'provider_account',
    table: 'provider_accounts',
    column: 'hold_until_at',
  }),
  handle: endHold,
}

export const probeProviderAccounts: Work<'provider_account'> = {
  name: 'provider_account.probe',
  key: 'provider_account',
  due: (db, now, limit) => dueForProbing(db, 'provider_account.probe', now, limit),
  handle: probeProviderAccount,
}
