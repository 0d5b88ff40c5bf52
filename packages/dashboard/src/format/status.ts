/** Each status has a mark (a shape), a label and a colour, and any one of them is enough to recognize it. */

export type Tone = 'success' | 'warning' | 'danger' | 'info' | 'refund' | 'neutral'
export type Mark =
  | 'disc'
  | 'arrow'
  | 'dashed'
  | 'triangle'
  | 'half'
  | 'barred'
  | 'return'
  | 'bars'
  | 'crossed'
  | 'ring'

type StatusStyle = { readonly mark: Mark; readonly tone: Tone }

const styles: readonly (StatusStyle & { readonly statuses: string })[] = [
  {
    mark: 'disc',
    tone: 'success',
    statuses:
      'succeeded sent settled captured active enabled ready attached delivered paid won completed complete closed ok published recovered current accepted approved confirmed healthy matched resolved issued',
  },
  {
    mark: 'arrow',
    tone: 'warning',
    statuses:
      'processing matching uploading in_transit under_review submitting accepting started sending retrying advancing running recovering revoking collecting preparing half_open rotating',
  },
  {
    mark: 'dashed',
    tone: 'warning',
    statuses:
      'unknown unresolved past_due warn degraded incomplete amount_differs missing_here missing_there',
  },
  { mark: 'triangle', tone: 'danger', statuses: 'needs_review needs_response conflict parked' },
  {
    mark: 'half',
    tone: 'info',
    statuses:
      'received trialing authorized requires_action awaiting_customer requires_capture requires_payment awaiting_payment test_cards',
  },
  {
    mark: 'barred',
    tone: 'danger',
    statuses: 'failed bounced complained lost declined rejected exhausted uncollectible fail failing error',
  },
  { mark: 'return', tone: 'refund', statuses: 'refunded refunding partially_refunded' },
  { mark: 'bars', tone: 'neutral', statuses: 'paused held disabled inactive stopped deactivated' },
  {
    mark: 'crossed',
    tone: 'neutral',
    statuses:
      'cancelled canceled detached expired void voided archived deleted not_sent not_processed revoked superseded skipped',
  },
  {
    mark: 'ring',
    tone: 'neutral',
    statuses: 'open unpaid awaiting_content draft pending created waiting scheduled new used',
  },
]

const byStatus = new Map(
  styles.flatMap(({ statuses, ...style }) => statuses.split(' ').map((status) => [status, style])),
)

/** Null if the status has no mark. A test checks that every status of the API has one. */
export function statusStyle(status: string): StatusStyle | null {
  return byStatus.get(status.toLowerCase()) ?? null
}
