/** The transcript of a run: its steps, and each call without headers, secrets, card data and personal data. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Redactor } from './redact.ts'
import type { StepResult } from './report.ts'
import type { RecordedCall } from './wire.ts'

export type Transcript = {
  readonly provider: string
  readonly date: string
  /** The host that was called. */
  readonly host: string
  readonly steps: readonly StepResult[]
  readonly calls: readonly object[]
}

type TranscriptParts = {
  readonly provider: string
  readonly date: Date
  readonly baseUrl: string
  readonly steps: readonly StepResult[]
  readonly calls: readonly RecordedCall[]
}

export function transcriptOf(
  { provider, date, baseUrl, steps, calls }: TranscriptParts,
  redactor: Redactor,
): Transcript {
  return {
    provider,
    date: date.toISOString(),
    host: redactor.text(new URL(baseUrl).host),
    steps: steps.map((step) => ({ ...step, detail: redactor.text(step.detail) })),
    calls: calls.map((call) => toEntry(call, redactor)),
  }
}

/** Writes the transcript to the folder, and returns its path. */
export function writeTranscript(folder: string, transcript: Transcript): string {
  const date = transcript.date.replace(/\.\d+/, '').replaceAll(':', '')
  const path = join(folder, `${transcript.provider}-${date}.json`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(path, `${JSON.stringify(transcript, null, 2)}\n`)
  return path
}

function toEntry({ step, request, reply }: RecordedCall, redactor: Redactor): object {
  const { method, url, headers, body } = request
  const { pathname, searchParams } = new URL(url)
  const isForm = headers['content-type']?.includes('x-www-form-urlencoded') ?? false
  const call = {
    step,
    method,
    path: redactor.text(pathname),
    ...(searchParams.size === 0 ? {} : { query: formOf(searchParams, redactor) }),
    request: isForm ? formOf(new URLSearchParams(body ?? ''), redactor) : contentOf(body, redactor),
  }
  return reply.kind === 'answered'
    ? { ...call, status: reply.status, response: contentOf(reply.body, redactor) }
    : { ...call, status: null, failure: redactor.text(reply.detail) }
}

/** The names of nested form members are `card[number]`. */
function formOf(form: URLSearchParams, redactor: Redactor): object {
  const path = (name: string) => name.split(/[[\]]+/).filter((part) => part !== '')
  return Object.fromEntries([...form].map(([name, text]) => [name, redactor.value(text, path(name))]))
}

function contentOf(body: string | null, redactor: Redactor): unknown {
  if (body === null || body === '') return null
  try {
    return redactor.value(JSON.parse(body))
  } catch {
    return redactor.text(body)
  }
}
