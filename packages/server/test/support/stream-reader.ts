// Reads a stream of server-sent events frame by frame over a real connection.

import { onTestFinished } from 'vitest'

export type Frame = {
  /** `event`, `cursor`, or empty for a comment. */
  readonly event: string
  readonly id: string
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the type of the content.
  readonly data: any
}

export type StreamReader = {
  readonly status: number
  readonly headers: Headers
  /** The next frame of any kind; null when the stream has ended. */
  frame(): Promise<Frame | null>
  /** The next `count` events. Other frames are skipped. */
  events(count: number): Promise<Frame[]>
  /** All remaining frames, until the server ends the stream. */
  rest(): Promise<Frame[]>
  close(): Promise<void>
}

type Problem = { readonly code: string }
type StreamTarget = { readonly address: string; readonly token: string }

/**
 * Opens the event stream and closes it when the test ends. An error response has no frames, and its body is
 * `problem`.
 */
export async function openStream(
  { address, token }: StreamTarget,
  query = '',
  headers: Record<string, string> = {},
): Promise<StreamReader & { readonly problem: Problem | null }> {
  const stop = new AbortController()
  const response = await fetch(`${address}/events/stream${query}`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
    signal: stop.signal,
  })
  onTestFinished(() => stop.abort())
  const frames = response.ok ? readFrames(response) : null
  const frame = async () => (await frames?.next())?.value ?? null
  const readEvents = async (isEnough: (found: readonly Frame[]) => boolean) => {
    const found: Frame[] = []
    while (!isEnough(found)) {
      const next = await frame()
      if (next === null) return found
      if (next.event === 'event') found.push(next)
    }
    return found
  }
  return {
    status: response.status,
    headers: response.headers,
    problem: response.ok ? null : ((await response.json()) as Problem),
    frame,
    events: (count) => readEvents((found) => found.length >= count),
    rest: () => readEvents(() => false),
    close: async () => stop.abort(),
  }
}

async function* readFrames({ body }: Response): AsyncGenerator<Frame> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const bytes of body ?? []) {
    text += decoder.decode(bytes, { stream: true })
    const parts = text.split('\n\n')
    text = parts.pop() as string
    for (const part of parts) if (!part.startsWith('retry:')) yield parseFrame(part)
  }
}

function parseFrame(text: string): Frame {
  const fields = new Map(text.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]))
  const data = fields.get('data')
  return {
    event: fields.get('event') ?? '',
    id: fields.get('id') ?? '',
    data: data === undefined ? null : JSON.parse(data),
  }
}
