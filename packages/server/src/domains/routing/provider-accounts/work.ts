import type { WorkType } from '../../../deps.ts'
import { dueIn } from '../../../platform/db/due.ts'
import { endHold } from './service/hold.ts'
import { probeProviderAccount } from './service/probe.ts'
import { listDueProbes } from './store/health.ts'

export const releaseProviderAccounts: WorkType<'provider_account'> = {
  name: 'provider_account.release',
  objectKind: 'provider_account',
  due: dueIn({
    work: 'provider_account.release',
    kind: 'provider_account',
    table: 'provider_accounts',
    column: 'hold_until_at',
  }),
  handle: endHold,
}

export const probeProviderAccounts: WorkType<'provider_account'> = {
  name: 'provider_account.probe',
  objectKind: 'provider_account',
  due: (db, now, limit) => listDueProbes(db, 'provider_account.probe', now, limit),
  handle: probeProviderAccount,
}
