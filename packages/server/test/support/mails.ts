// Creates e-mails directly, without the payment or other change that normally causes them.

import type { Deps } from '../../src/deps.ts'
import type { MailKind } from '../../src/domains/payments/mails/mail.ts'
import { createMails } from '../../src/domains/payments/mails/service.ts'
import { systemCaller } from '../../src/kernel/caller.ts'
import type { Id } from '../../src/kernel/id.ts'
import { transact } from '../../src/platform/db/unit-of-work.ts'

export async function createReceipt(deps: Deps, workspaceId: string, recipient: string): Promise<void> {
  await createReceipts(deps, workspaceId, [recipient])
}

/** One receipt for each recipient, in one unit of work. */
export async function createReceipts(
  deps: Deps,
  workspaceId: string,
  recipients: readonly string[],
): Promise<void> {
  const id = workspaceId as Id<'workspace'>
  await transact(deps, systemCaller({ workspaceId: id, id }), (tx) =>
    createMails(
      tx,
      recipients.map((recipient) => ({
        kind: 'receipt' satisfies MailKind,
        objectId: tx.newId('checkout_session'),
        step: 0,
        customerId: null,
        recipient,
        locale: null,
        facts: { amount: '1299', currency: 'eur', at: tx.now.toISOString() },
      })),
    ),
  )
}
