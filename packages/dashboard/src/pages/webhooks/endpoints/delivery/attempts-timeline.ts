/** The attempts of a delivery as a timeline: the event, then the response of each attempt. No side effects. */
import type { DeliveryAttempt, DeliveryWithAttempts } from '@switchyard/sdk'
import { durationText } from '../../../../format/time.ts'
import type { Timeline, TimelineNode } from '../../../../timeline/timeline-chart.tsx'
import { responseText } from '../responses.ts'

export function attemptsTimeline(delivery: DeliveryWithAttempts, host: string, nowMs = Date.now()): Timeline {
  const eventNode: TimelineNode = {
    id: 'event',
    lane: 'switchyard',
    atMs: Date.parse(delivery.created_at),
    text: delivery.event_type,
    tone: 'ink',
    mark: 'open',
  }
  return {
    lanes: [
      { id: 'switchyard', text: 'Switchyard' },
      { id: 'receiver', text: host },
    ],
    nodes: [eventNode, ...delivery.attempts.map(attemptNode), ...nextAttemptNodes(delivery, nowMs)],
  }
}

/** The id of the node is the number of the attempt, so that selecting it selects the attempt. */
function attemptNode({ number, started_at, duration_ms, outcome, status }: DeliveryAttempt): TimelineNode {
  const isOk = outcome === 'ok'
  return {
    id: String(number),
    lane: 'receiver',
    atMs: Date.parse(started_at) + duration_ms,
    text: `${responseText(outcome, status)} in ${durationText(duration_ms)}`,
    tone: isOk ? 'success' : 'danger',
    mark: isOk ? 'done' : 'failed',
    isWaiting: !isOk,
  }
}

/** The next attempt, if one is scheduled. If it is overdue, it is drawn at the current time, not in the past. */
function nextAttemptNodes(
  { state, attempts_made, next_attempt_at }: DeliveryWithAttempts,
  nowMs: number,
): readonly TimelineNode[] {
  if (state !== 'pending' || attempts_made === 0 || next_attempt_at === null) return []
  const atMs = Math.max(Date.parse(next_attempt_at), nowMs)
  return [{ id: 'next', lane: 'receiver', atMs, text: 'Next attempt', tone: 'warning', mark: 'waiting' }]
}
