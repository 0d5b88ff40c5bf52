// Automatic refunds of payments that may be disputed, for example when an invoice is voided or a payment is cancelled.

import { expect, test } from 'vitest'
import { inTransaction } from '../../../../test/support/invoices.ts'
import { ledgerDifferences } from '../../../../test/support/ledger.ts'
import { createToken } from '../../../../test/support/payment-methods.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'
import type { Id } from '../../../kernel/id.ts'
import { refundRemainder } from '../payments/commands/pay-invoice.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })

const money = (amount: bigint) => ({ amount, currency: 'eur' }) as const
// biome-ignore format: a table.
test.each([
  ['without a dispute',                null,                                          1299, null],
  ['that is partially disputed',       { money: money(1000n) },                        299, 'conflict'],
  ['that is disputed',                 {},                                               0, 'conflict'],
  ['whose dispute is lost',            { status: 'lost', isWithdrawn: true },            0, 'conflict'],
  ['whose dispute is won',             { status: 'won', isWithdrawn: false },         1299, null],
  ['with an inquiry',                  { stage: 'inquiry', isWithdrawn: false },      1299, null],
] as const)('an automatic refund of a payment %s covers only what is not disputed', async (_, dispute, refunded, review) => {
  const workspace = await switchyard.newWorkspace()
  const token = await createToken(workspace)
  const { body: payment } = await workspace.post('/payments', { amount: 1299, currency: 'eur', token })
  if (dispute !== null) await workspace.aDispute(payment.id, dispute)

  const progress = await inTransaction(switchyard.deps, workspace.workspaceId, (tx) =>
    refundRemainder(tx, payment.id as Id<'payment'>),
  )
  expect(progress === null).toBe(refunded === 0)
  expect((await workspace.get(`/payments/${payment.id}`)).body).toMatchObject({
    amount_refunding: refunded,
    review,
  })
  expect(await ledgerDifferences(switchyard.deps, workspace.workspaceId)).toEqual([])
})
