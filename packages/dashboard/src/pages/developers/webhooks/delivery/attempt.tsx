/** One attempt: what was sent, what came back, and where the time went. */
import type { DeliveryAttempt, Event } from '@switchyard/sdk'
import { dateTimeText, durationText } from '../../../../format/time.ts'
import { words } from '../../../../format/words.ts'
import { CodeBlock } from '../../../../ui/code.tsx'
import { Facts, Panel } from '../../../../ui/panel.tsx'
import { Status } from '../../../../ui/status.tsx'
import { CopyButton } from '../../../../ui/values.tsx'
import { answerText } from '../answers.ts'
import { curlOfAttempt, signedString } from './curl.ts'

type Props = { attempt: DeliveryAttempt; event: Event | undefined; url: string | undefined }

export function Attempt({ attempt, event, url }: Props) {
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_300px]">
      <div className="grid min-w-0 content-start gap-4">
        <Answer attempt={attempt} />
        <Request attempt={attempt} event={event} url={url} />
      </div>
      <Timing attempt={attempt} />
    </div>
  )
}

function Answer({ attempt }: { attempt: DeliveryAttempt }) {
  const { status, outcome, detail, response_headers, response_body } = attempt
  const lines = Object.entries(response_headers ?? {}).map(([name, value]) => `${name}: ${value}`)
  return (
    <Panel
      title="Answer"
      beside={<Status of={outcome === 'ok' ? 'delivered' : 'failed'}>{answerText(outcome, status)}</Status>}
    >
      <div className="grid gap-3">
        {detail !== null && <p>{detail}</p>}
        {lines.length > 0 && <CodeBlock text={lines.join('\n')} label="headers of the answer" />}
        {response_body !== null && response_body !== '' && (
          <CodeBlock text={response_body} label="body of the answer" />
        )}
        {lines.length === 0 && !response_body && detail === null && (
          <p className="text-ink2">It came without headers and body.</p>
        )}
      </div>
    </Panel>
  )
}

function Request({ attempt, event, url }: Props) {
  const headers = Object.entries(attempt.request_headers).map(([name, value]) => `${name}: ${value}`)
  return (
    <Panel
      title="Request"
      beside={
        event !== undefined &&
        url !== undefined && <CopyButton text={curlOfAttempt(url, attempt, event)} label="Copy as curl" />
      }
    >
      <div className="grid gap-3">
        <CodeBlock text={headers.join('\n')} label="headers of the request" />
        {event !== undefined && (
          <>
            <h3 className="font-bold">Body</h3>
            <CodeBlock text={JSON.stringify(event)} label="body" />
            <p className="text-compact text-ink2">
              pending_deliveries is as it is now; everything else is as it was sent.
            </p>
            <h3 className="font-bold">Signed string</h3>
            <p className="text-compact text-ink2">
              What signature-digest covers: t, a dot, and the characters of data.
            </p>
            <CodeBlock text={signedString(attempt, event)} label="signed string" />
          </>
        )}
      </div>
    </Panel>
  )
}

function Timing({ attempt }: { attempt: DeliveryAttempt }) {
  const { dns_ms, connect_ms, tls_ms, first_byte_ms, duration_ms, connection_reused } = attempt
  const step = (ms: number | null) => (ms === null ? '–' : durationText(ms))
  return (
    <Panel title={`Attempt ${attempt.number}`}>
      <Facts
        of={[
          ['Began', dateTimeText(attempt.started_at)],
          ['Why', words(attempt.trigger)],
          ['Name', connection_reused ? 'connection reused' : step(dns_ms)],
          ['Connecting', step(connect_ms)],
          ['Encryption', step(tls_ms)],
          ['First byte', step(first_byte_ms)],
          ['In all', durationText(duration_ms)],
          ['Address', attempt.remote_ip],
          ['Secrets', String(attempt.secret_ids.length)],
          ['Process', attempt.worker],
        ]}
      />
    </Panel>
  )
}
