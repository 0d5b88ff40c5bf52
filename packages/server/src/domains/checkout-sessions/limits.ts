/**
 * How often paying may be tried, so that nobody finds out here which stolen cards still work. Honest payers never
 * meet these limits: they try two or three times, each from a network of their own. Pure.
 */

export const limits = {
  /** Cards and declines in one session. */
  sessionCards: 3,
  sessionDeclines: 5,
  /** Tries from one network, of all sessions of a workspace. */
  networkTries: 10,
  networkSeconds: 600,
  /** Tries with one card. */
  cardTries: 3,
  cardSeconds: 3_600,
  /** Of so many tries at a link, more than this share declined is an attack: then everything is halved. */
  watched: 50,
  watchedShare: 0.3,
} as const

export type Counted = {
  readonly networkTries: number
  readonly networkFirstAt: Date | null
  readonly cardTries: number
  readonly cardFirstAt: Date | null
  /** How the last ones at this link ended. */
  readonly ended: number
  readonly declined: number
}

export type SessionTries = { readonly cards: number; readonly declines: number; readonly isNewCard: boolean }

export type Verdict =
  | { readonly ok: true; readonly isAlarming: boolean }
  | {
      readonly ok: false
      readonly by: 'network' | 'card' | 'session'
      readonly isAlarming: boolean
      /** When it is worth another try; null: in this session never. */
      readonly waitSeconds: number | null
    }

export function judge(counted: Counted, session: SessionTries, now: Date): Verdict {
  const isAlarming = isAttack(counted)
  const allowed = (limit: number) => (isAlarming ? Math.ceil(limit / 2) : limit)
  const refused = (by: 'network' | 'card' | 'session', waitSeconds: number | null): Verdict => ({
    ...{ ok: false, by, isAlarming, waitSeconds },
  })
  if (counted.networkTries >= allowed(limits.networkTries))
    return refused('network', secondsLeft(counted.networkFirstAt, limits.networkSeconds, now))
  if (counted.cardTries >= allowed(limits.cardTries))
    return refused('card', secondsLeft(counted.cardFirstAt, limits.cardSeconds, now))
  const isOneTooMany = session.isNewCard && session.cards >= allowed(limits.sessionCards)
  if (isOneTooMany || session.declines >= allowed(limits.sessionDeclines)) return refused('session', null)
  return { ok: true, isAlarming }
}

function isAttack({ ended, declined }: Counted): boolean {
  return ended >= limits.watched && declined > ended * limits.watchedShare
}

/** Until the oldest of them counts no more. */
function secondsLeft(first: Date | null, windowSeconds: number, now: Date): number {
  const passed = first === null ? 0 : (now.getTime() - first.getTime()) / 1000
  return Math.max(1, Math.ceil(windowSeconds - passed))
}

/**
 * The network that an address belongs to: a /24 or a /64, which is what one customer of a provider has. Null for
 * this very machine: that is a developer, or a proxy that does not say for whom it asks, and must not lock out all.
 */
export function networkOf(address: string): string | null {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address
  if (mapped === '::1' || mapped.startsWith('127.')) return null
  if (!mapped.includes(':')) return mapped.split('.').slice(0, 3).join('.')
  const [head = '', tail] = mapped.toLowerCase().split('::')
  const groups = head.split(':').filter((group) => group !== '')
  const after = (tail ?? '').split(':').filter((group) => group !== '')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - after.length)
  return [...groups, ...Array<string>(zeros).fill('0'), ...after].slice(0, 4).join(':')
}
