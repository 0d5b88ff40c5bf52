/** Each status has a mark (a shape), a word and a colour: any one of them is enough to know it. */

export type Tone = 'clear' | 'caution' | 'danger' | 'lock' | 'gate' | 'idle'
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

type Look = { readonly mark: Mark; readonly tone: Tone }

const looks: readonly (Look & { readonly words: string })[] = [
  {
    mark: 'disc',
    tone: 'clear',
    words:
      'succeeded captured active enabled ready attached delivered paid completed complete closed ok published recovered current accepted approved confirmed healthy',
  },
  {
    mark: 'arrow',
    tone: 'caution',
    words:
      'processing started sending retrying advancing running recovering revoking collecting preparing half_open rotating',
  },
  { mark: 'dashed', tone: 'caution', words: 'unknown unresolved past_due warn degraded incomplete' },
  { mark: 'triangle', tone: 'danger', words: 'needs_review conflict parked' },
  {
    mark: 'half',
    tone: 'lock',
    words:
      'trialing authorized requires_action awaiting_customer requires_capture requires_payment awaiting_payment test_cards',
  },
  {
    mark: 'barred',
    tone: 'danger',
    words: 'failed declined rejected exhausted uncollectible fail error',
  },
  { mark: 'return', tone: 'gate', words: 'refunded refunding partially_refunded' },
  { mark: 'bars', tone: 'idle', words: 'paused held disabled inactive stopped deactivated' },
  {
    mark: 'crossed',
    tone: 'idle',
    words:
      'cancelled canceled detached expired void voided archived deleted not_sent not_processed revoked superseded skipped',
  },
  { mark: 'ring', tone: 'idle', words: 'open unpaid draft pending created waiting scheduled new used' },
]

const byStatus = new Map(looks.flatMap(({ words, ...look }) => words.split(' ').map((word) => [word, look])))

/** Null: nobody has given it a mark. A test looks for such among all states of the API. */
export function lookOf(status: string): Look | null {
  return byStatus.get(status.toLowerCase()) ?? null
}
