// Reads a stream of server-sent events frame by frame, as it comes over a real connection.

import { onTestFinished } from 'vitest'

export type Frame = {
  /** `event`, `cursor`, or nothing for a comment. */
  readonly event: string
  readonly id: string
  // biome-ignore lint/suspicious/noExplicitAny: the content is what the test says it is.
  readonly data: any
}

export type StreamReader = {
  readonly status: number
  readonly headers: Headers
  /** The next frame, whatever it is; null when the stream has ended. */
  frame(): Promise<Frame | null>
  /** So many events, with whatever comes between them left out. */
  events(count: number): Promise<Frame[]>
  /** Everything that still comes, until the server ends it. */
  rest(): Promise<Frame[]>
  close(): Promise<void>
}

type Problem = { readonly code: string }
type Reached = { readonly address: string; readonly token: string }

/** Opens the stream; it is closed with the test. A refusal has no frames, and its body as `problem`. */
export async function openStream(
  { address, token }: Reached,
  query = '',
  headers: Record<string, string> = {},
): Promise<StreamReader & { readonly problem: Problem | null }> {
  const stop = new AbortController()
  const answer = await fetch(`${address}/events/stream${query}`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
    signal: stop.signal,
  })
  onTestFinished(() => stop.abort())
  const frames = answer.ok ? framesOf(answer) : null
  const frame = async () => (await frames?.next())?.value ?? null
  const all = async (isEnough: (found: readonly Frame[]) => boolean) => {
    const found: Frame[] = []
    while (!isEnough(found)) {
      const next = await frame()
      if (next === null) return found
      if (next.event === 'event') found.push(next)
    }
    return found
  }
  return {
    status: answer.status,
    headers: answer.headers,
    problem: answer.ok ? null : ((await answer.json()) as Problem),
    frame,
    events: (count) => all((found) => found.length >= count),
    rest: () => all(() => false),
    close: async () => stop.abort(),
  }
}

async function* framesOf({ body }: Response): AsyncGenerator<Frame> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const bytes of body ?? []) {
    text += decoder.decode(bytes, { stream: true })
    const parts = text.split('\n\n')
    text = parts.pop() as string
    for (const part of parts) if (!part.startsWith('retry:')) yield frameOf(part)
  }
}

function frameOf(text: string): Frame {
  const fields = new Map(text.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]))
  const data = fields.get('data')
  return {
    event: fields.get('event') ?? '',
    id: fields.get('id') ?? '',
    data: data === undefined ? null : JSON.parse(data),
  }
}
