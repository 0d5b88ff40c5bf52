/** One attempt: its request, its response and its timing. */
import type { DeliveryAttempt, Event } from '@switchyard/sdk'
import { sentenceCase } from '../../../../format/text.ts'
import { dateTimeText, durationText } from '../../../../format/time.ts'
import { CodeBlock } from '../../../../ui/code.tsx'
import { Facts, Panel } from '../../../../ui/panel.tsx'
import { Status } from '../../../../ui/status.tsx'
import { CopyButton } from '../../../../ui/values.tsx'
import { responseText } from '../responses.ts'
import { curlOfAttempt, hasSignatures, signedString } from './curl.ts'

type Props = { attempt: DeliveryAttempt; event: Event | undefined; url: string | undefined }

export function Attempt({ attempt, event, url }: Props) {
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_300px]">
      <div className="grid min-w-0 content-start gap-4">
        <ResponsePanel attempt={attempt} />
        <RequestPanel attempt={attempt} event={event} url={url} />
      </div>
      <TimingPanel attempt={attempt} />
    </div>
  )
}

function ResponsePanel({ attempt }: { attempt: DeliveryAttempt }) {
  const { status, outcome, detail, response_headers, response_body } = attempt
  const lines = Object.entries(response_headers ?? {}).map(([name, value]) => `${name}: ${value}`)
  return (
    <Panel
      title="Response"
      titleExtra={
        <Status status={outcome === 'ok' ? 'delivered' : 'failed'}>{responseText(outcome, status)}</Status>
      }
    >
      <div className="grid gap-3">
        {detail !== null && <p>{detail}</p>}
        {lines.length > 0 && <CodeBlock text={lines.join('\n')} label="response headers" />}
        {response_body !== null && response_body !== '' && (
          <CodeBlock text={response_body} label="response body" />
        )}
        {lines.length === 0 && !response_body && detail === null && (
          <p className="text-ink2">The response had no headers and no body.</p>
        )}
      </div>
    </Panel>
  )
}

function RequestPanel({ attempt, event, url }: Props) {
  const headers = Object.entries(attempt.request_headers).map(([name, value]) => `${name}: ${value}`)
  return (
    <Panel
      title="Request"
      titleExtra={
        event !== undefined &&
        url !== undefined &&
        hasSignatures(attempt) && (
          <CopyButton text={curlOfAttempt(url, attempt, event)} label="Copy as curl" />
        )
      }
    >
      <div className="grid gap-3">
        <CodeBlock text={headers.join('\n')} label="request headers" />
        <p className="text-compact text-ink2">
          {hasSignatures(attempt)
            ? 'The curl command contains only signature-digest. Receivers that check the age of a webhook reject it; use Resend to send the event again.'
            : 'Only admins see signatures, because they can be used to send the event again.'}
        </p>
        {event !== undefined && (
          <>
            <h3 className="font-bold">Body</h3>
            <CodeBlock text={JSON.stringify(event)} label="body" />
            <p className="text-compact text-ink2">
              pending_deliveries shows the current value; everything else is shown as it was sent.
            </p>
            <h3 className="font-bold">Signed string</h3>
            <p className="text-compact text-ink2">
              signature-digest signs t, a dot, and the characters of data.
            </p>
            <CodeBlock text={signedString(attempt, event)} label="signed string" />
          </>
        )}
      </div>
    </Panel>
  )
}

function TimingPanel({ attempt }: { attempt: DeliveryAttempt }) {
  const { dns_ms, connect_ms, tls_ms, first_byte_ms, duration_ms, connection_reused } = attempt
  const durationOrDash = (ms: number | null) => (ms === null ? '–' : durationText(ms))
  return (
    <Panel title={`Attempt ${attempt.number}`}>
      <Facts
        facts={[
          ['Started', dateTimeText(attempt.started_at)],
          ['Trigger', sentenceCase(attempt.trigger)],
          ['DNS', connection_reused ? 'Connection reused' : durationOrDash(dns_ms)],
          ['Connect', durationOrDash(connect_ms)],
          ['TLS', durationOrDash(tls_ms)],
          ['First byte', durationOrDash(first_byte_ms)],
          ['Total', durationText(duration_ms)],
          ['IP address', attempt.remote_ip],
          ['Signing secrets', String(attempt.secret_ids.length)],
          ['Process', attempt.worker],
        ]}
      />
    </Panel>
  )
}
