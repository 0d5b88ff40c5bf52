/** A dunning campaign in words: where it stands and what comes next. Pure. */
import type { DunningCampaign } from '@switchyard/sdk'
import { dateText, dateTimeText } from '../../../format/time.ts'

export type Step = DunningCampaign['steps'][number]
export type Outcome = 'failed' | 'paid' | 'scheduled' | 'skipped'

/** What was tried so far; the first failure is the one that began it. */
export function triesOf(campaign: DunningCampaign): number {
  return campaign.steps.filter((step) => ['failed', 'paid'].includes(outcomeOf(campaign, step))).length
}

/** A step notes its failure; that it helped is known by the campaign, which ended with it. */
export function outcomeOf({ status, steps, ended_at }: DunningCampaign, step: Step): Outcome {
  if (step.attempted_at !== null && step.code !== null) return 'failed'
  if (status === 'running') return 'scheduled'
  const next = steps.find(({ code, attempted_at }) => code === null || attempted_at === null)
  const isInTime = ended_at !== null && Date.parse(step.due_at) <= Date.parse(ended_at)
  return status === 'recovered' && step === next && isInTime ? 'paid' : 'skipped'
}

export function stageText(campaign: DunningCampaign): string {
  if (campaign.status !== 'running') return endings[campaign.status]
  if (campaign.waits_for === 'customer') return 'Waits for the customer'
  if (campaign.waits_for === 'new_card') return 'Waits for another card'
  return `Retry ${triesOf(campaign) + 1} of ${campaign.policy.retry_days.length}`
}

const endings = {
  recovered: 'Recovered',
  exhausted: 'Nothing helped',
  stopped: 'Stopped',
} as const

/** The reason of the last try that failed. */
export function lastReason({ steps }: DunningCampaign): string | null {
  return steps.findLast(({ code }) => code !== null)?.code ?? null
}

const subscriptionEnds = {
  pause: 'the subscription pauses',
  cancel: 'the subscription is cancelled',
  mark_unpaid: 'the subscription goes on as unpaid',
  keep: 'the subscription goes on',
} as const
const invoiceEnds = {
  leave_open: 'the invoice stays open',
  uncollectible: 'the invoice is given up',
  void: 'the invoice becomes void',
} as const

export function finalText({ policy: { final } }: DunningCampaign): string {
  return `${subscriptionEnds[final.subscription]}, and ${invoiceEnds[final.invoice]}`
}

export function campaignSentence(campaign: DunningCampaign): string {
  const { status, next_attempt_at: next, ends_at, ended_at, waits_for } = campaign
  const ended = ended_at === null ? '' : ` on ${dateText(ended_at)}`
  if (status === 'recovered') return `The invoice was paid${ended}, after ${triesText(campaign)}.`
  if (status === 'stopped') return `It was stopped${ended}. Nothing more is tried by itself.`
  if (status === 'exhausted') return `Nothing helped until ${dateText(ends_at)}: ${finalText(campaign)}.`
  const end = `If nothing helps by ${dateText(ends_at)}, ${finalText(campaign)}.`
  if (waits_for === 'customer') return `The customer has to act; nothing is tried before. ${end}`
  if (waits_for === 'new_card') return `Nothing is tried with this card again; another one is needed. ${end}`
  return next === null ? end : `It is tried again on ${dateTimeText(next)}. ${end}`
}

function triesText(campaign: DunningCampaign): string {
  const tries = triesOf(campaign)
  return tries === 1 ? '1 retry' : `${tries} retries`
}

export const movedWords = {
  payday: 'moved to a day on which people are paid',
  too_soon: 'moved away from the try before',
  requested: 'somebody asked for it',
  new_card: 'there was another card',
} as const

export type Stage = { readonly name: string; readonly count: number }

/** Running campaigns by stage, the earliest first. */
export function stagesOf(campaigns: readonly DunningCampaign[]): readonly Stage[] {
  const running = campaigns.filter(({ status }) => status === 'running')
  const counts = new Map<string, number>()
  const inOrder = running.toSorted((a, b) => orderOf(a) - orderOf(b))
  for (const campaign of inOrder) {
    const name = campaign.waits_for === null ? `Retry ${triesOf(campaign) + 1}` : stageText(campaign)
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts].map(([name, count]) => ({ name, count }))
}

/** Those that wait for somebody stand behind those that go on by themselves. */
function orderOf(campaign: DunningCampaign): number {
  return campaign.waits_for === null ? triesOf(campaign) : campaign.waits_for === 'customer' ? 1_000 : 1_001
}
