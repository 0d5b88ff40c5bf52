import type { Work } from '../../deps.ts'
import { dueIn } from '../../platform/db/due.ts'
import { endHold } from './service/hold.ts'

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
