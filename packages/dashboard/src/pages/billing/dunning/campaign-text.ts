/** Describes a dunning campaign: its stage and the next attempt. No side effects. */
import type { DunningCampaign } from '@switchyard/sdk'
import { dateText, dateTimeText } from '../../../format/time.ts'
import { nextAttemptText } from '../next-attempt-text.ts'

export type Step = DunningCampaign['steps'][number]
export type Outcome = 'failed' | 'paid' | 'scheduled' | 'skipped'

/** The number of retries so far. The initial failure is not a retry. */
export function retryCount(campaign: DunningCampaign): number {
  return campaign.steps.filter((step) => ['failed', 'paid'].includes(outcomeOf(campaign, step))).length
}

/** A step records only a failure. Whether a step was paid is derived from the end of the campaign. */
export function outcomeOf({ status, steps, ended_at }: DunningCampaign, step: Step): Outcome {
  if (step.attempted_at !== null && step.code !== null) return 'failed'
  if (status === 'running') return 'scheduled'
  const next = steps.find(({ code, attempted_at }) => code === null || attempted_at === null)
  const wasDue = ended_at !== null && Date.parse(step.due_at) <= Date.parse(ended_at)
  return status === 'recovered' && step === next && wasDue ? 'paid' : 'skipped'
}

export function stageText(campaign: DunningCampaign): string {
  if (campaign.status !== 'running') return endLabels[campaign.status]
  if (campaign.waits_for === 'customer') return 'Waiting for customer'
  if (campaign.waits_for === 'new_card') return 'Waiting for a new card'
  return `Retry ${retryCount(campaign) + 1} of ${campaign.policy.retry_days.length}`
}

const endLabels = {
  recovered: 'Recovered',
  exhausted: 'Retries exhausted',
  stopped: 'Stopped',
} as const

/** The failure code of the last failed retry. */
export function lastReason({ steps }: DunningCampaign): string | null {
  return steps.findLast(({ code }) => code !== null)?.code ?? null
}

const subscriptionOutcomes = {
  pause: 'the subscription is paused',
  cancel: 'the subscription is cancelled',
  mark_unpaid: 'the subscription is marked unpaid',
  keep: 'the subscription continues',
} as const
const invoiceOutcomes = {
  leave_open: 'the invoice stays open',
  uncollectible: 'the invoice is marked uncollectible',
  void: 'the invoice is voided',
} as const

export function finalText({ policy: { final } }: DunningCampaign): string {
  return `${subscriptionOutcomes[final.subscription]}, and ${invoiceOutcomes[final.invoice]}`
}

export function campaignSentence(campaign: DunningCampaign, nowMs = Date.now()): string {
  const { status, next_attempt_at: next, ends_at, ended_at, waits_for } = campaign
  const ended = ended_at === null ? '' : ` on ${dateText(ended_at)}`
  if (status === 'recovered') return `The invoice was paid${ended} after ${retryCountText(campaign)}.`
  if (status === 'stopped') return `Stopped${ended}. The invoice is not retried automatically.`
  if (status === 'exhausted') return `Every retry failed by ${dateText(ends_at)}: ${finalText(campaign)}.`
  const end = `If every retry fails by ${dateText(ends_at)}, ${finalText(campaign)}.`
  if (waits_for === 'customer') return `The customer must act before the invoice is retried. ${end}`
  if (waits_for === 'new_card') return `This card is not retried: a new card is required. ${end}`
  if (next === null) return end
  const nextAttempt = { at: next, testClockId: campaign.test_clock_id }
  return `${nextAttemptText(nextAttempt, { format: dateTimeText, nowMs })} ${end}`
}

function retryCountText(campaign: DunningCampaign): string {
  const retries = retryCount(campaign)
  return retries === 1 ? '1 retry' : `${retries} retries`
}

export const schedulingLabels = {
  payday: 'moved to payday',
  too_soon: 'moved: too soon after the previous attempt',
  requested: 'requested manually',
  new_card: 'new card added',
} as const

export type Stage = { readonly name: string; readonly count: number }

/** Running campaigns by stage, the earliest first. */
export function stagesOf(campaigns: readonly DunningCampaign[]): readonly Stage[] {
  const running = campaigns.filter(({ status }) => status === 'running')
  const counts = new Map<string, number>()
  const inOrder = running.toSorted((a, b) => orderOf(a) - orderOf(b))
  for (const campaign of inOrder) {
    const name = campaign.waits_for === null ? `Retry ${retryCount(campaign) + 1}` : stageText(campaign)
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts].map(([name, count]) => ({ name, count }))
}

/** Campaigns that wait for the customer or a new card come after those that retry automatically. */
function orderOf(campaign: DunningCampaign): number {
  return campaign.waits_for === null
    ? retryCount(campaign)
    : campaign.waits_for === 'customer'
      ? 1_000
      : 1_001
}
