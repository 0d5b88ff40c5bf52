// Reads the ledger of a workspace, and compares it with payments, invoices and credit.

import type { Deps } from '../../src/deps.ts'
import {
  findDifferences,
  findObjectDifferences,
  formatDifference,
} from '../../src/domains/finance/ledger/service/verify.ts'
import { systemCaller } from '../../src/kernel/caller.ts'
import type { Id } from '../../src/kernel/id.ts'
import type { Workspace } from './switchyard.ts'

/** One sentence per difference. With `fromUuid` only objects with higher ids are compared, and no balances. */
export async function ledgerDifferences(
  deps: Pick<Deps, 'databases'>,
  workspace: string,
  fromUuid?: string,
): Promise<string[]> {
  const id = workspace as Id<'workspace'>
  const caller = systemCaller({ workspaceId: id, id })
  const differences =
    fromUuid === undefined ? findDifferences(deps, caller) : findObjectDifferences(deps, caller, fromUuid)
  const sentences: string[] = []
  for await (const difference of differences) sentences.push(formatDifference(difference))
  return sentences
}

type PresentedPosting = {
  readonly act: string
  readonly debit: { readonly account: string }
  readonly credit: { readonly account: string }
  readonly amount: number
}

/** The postings of an object, oldest first, as `<act>: <debited account> > <credited account> <amount>`. */
export async function postingsOf({ get }: Pick<Workspace, 'get'>, objectId: string): Promise<string[]> {
  const { body } = await get(`/ledger-postings?object_id=${objectId}&limit=100`)
  return body.data
    .toReversed()
    .map(
      ({ act, debit, credit, amount }: PresentedPosting) =>
        `${act}: ${debit.account} > ${credit.account} ${amount}`,
    )
}
