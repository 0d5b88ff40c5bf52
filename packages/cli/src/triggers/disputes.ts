/** Disputes of payments with test cards. The simulator decides each dispute according to its evidence. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Dispute, Switchyard } from '@switchyard/sdk'
import { CliError } from '../exit.ts'
import { cards, type Recipes, type TriggerContext } from './trigger-context.ts'

/** The text of the evidence determines how the simulator decides a dispute. */
export const decidingTexts = { wins: 'winning_evidence', loses: 'losing_evidence' } as const

export const disputeRecipes = {
  'dispute.created': {
    how: 'pay with a card whose payments are disputed',
    run: async (context) => (await dispute(context)).id,
  },
  'dispute.updated': {
    how: 'pay with a card whose payments are disputed, store evidence',
    run: async (context) => (await explain(context, await dispute(context), 'Delivered.')).id,
  },
  'dispute.submitted': {
    how: 'pay with a card whose payments are disputed, submit evidence',
    run: (context) => submit(context, cards.disputed, 'Delivered.'),
  },
  'dispute.won': {
    how: `pay with a card whose payments are disputed, submit the evidence "${decidingTexts.wins}"`,
    run: (context) => submit(context, cards.disputed, decidingTexts.wins),
  },
  'dispute.lost': {
    how: 'pay with a card whose payments are disputed, accept the dispute',
    run: async (context) => (await context.client.disputes.accept((await dispute(context)).id)).id,
  },
  'dispute.closed': {
    how: `pay with a card that causes an inquiry, submit the evidence "${decidingTexts.wins}"`,
    run: (context) => submit(context, cards.inquired, decidingTexts.wins),
  },
} satisfies Recipes

async function dispute(context: TriggerContext, number: string = cards.disputed): Promise<Dispute> {
  const { id } = await context.pay(number)
  return waitForDispute(context.client, id, context.signal)
}

async function submit(context: TriggerContext, number: string, explanation: string): Promise<string> {
  const { id } = await explain(context, await dispute(context, number), explanation)
  return (await context.client.disputes.submit(id)).id
}

function explain({ client }: TriggerContext, { id }: Dispute, explanation: string): Promise<Dispute> {
  return client.disputes.update(id, { evidence: { explanation } })
}

const maxWaitSeconds = 30

/** Waits until the webhook of the provider has been processed. */
export async function waitForDispute(
  client: Switchyard,
  paymentId: string,
  signal?: AbortSignal,
): Promise<Dispute> {
  const deadlineMs = performance.now() + maxWaitSeconds * 1000
  while (performance.now() < deadlineMs) {
    const [found] = (await client.disputes.list({ payment_id: paymentId }).page()).data
    if (found !== undefined) return found
    await sleep(250, undefined, { signal })
  }
  throw new CliError(
    'failed',
    `The provider reported no dispute for ${paymentId} within ${maxWaitSeconds} seconds.`,
    'Check that the worker is running: switchyard doctor',
  )
}
