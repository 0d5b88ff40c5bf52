/** What was asked of providers, and each call that was made for it. Of what was said nothing is kept. */
import type { Operation } from '@switchyard/sdk'
import { words } from '../../../format/words.ts'
import { Status } from '../../../ui/status.tsx'
import { type Column, PlainTable } from '../../../ui/table.tsx'
import { Duration, Id, Money, Time } from '../../../ui/values.tsx'
import { useAccountName } from '../../accounts.ts'

type Call = Operation['calls'][number]

const soonMs = 5_000

const columns: readonly Column<Call>[] = [
  { title: 'Call', phone: true, cell: ({ step }) => <span className="font-mono text-compact">{step}</span> },
  { title: 'Answer', phone: true, cell: (call) => answerOf(call) },
  { title: 'It proves', cell: ({ outcome, fault_code }) => provesText(outcome, fault_code) },
  {
    title: 'Bytes out, in',
    align: 'right',
    cell: ({ request_bytes, answer_bytes }) => `${request_bytes}, ${answer_bytes}`,
  },
  { title: 'Took', align: 'right', phone: true, cell: ({ duration_ms }) => <Duration ms={duration_ms} /> },
  { title: 'At', align: 'right', cell: ({ created_at }) => <Time at={created_at} exact /> },
]

function answerOf({ status, may_have_been_sent }: Call): string {
  if (status !== null) return String(status)
  return may_have_been_sent ? 'No answer' : 'Not sent'
}

function provesText(outcome: string, fault: string | null): string {
  return fault === null ? words(outcome) : `${words(outcome)} (${fault})`
}

export function Messages({ operations }: { operations: readonly Operation[] }) {
  const nameOf = useAccountName()
  if (operations.length === 0) return <p className="p-4 text-ink2">No provider was asked.</p>
  return (
    <ul>
      {operations.map((operation) => (
        <li key={operation.id} className="border-b border-line last:border-0">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 pt-3">
            <h3 className="font-bold">
              {words(operation.kind)} at {nameOf(operation.provider_account_id)}
            </h3>
            <Status of={operation.status} />
            <Money amount={operation.amount} currency={operation.currency} />
          </div>
          <div className="px-4 pb-2">
            <OperationDetail operation={operation} />
          </div>
          <PlainTable
            label={`Calls of ${operation.kind}`}
            columns={columns}
            rows={operation.calls}
            keyOf={({ created_at, step }) => `${created_at} ${step}`}
            empty="No call was made yet."
          />
        </li>
      ))}
    </ul>
  )
}

/** What is known of it, in a line. */
export function OperationDetail({ operation }: { operation: Operation }) {
  const { reference, provider_reference, decline_code, fault_code, next_check_at, resend_at } = operation
  return (
    <p className="text-compact text-ink2">
      We call it <Id id={reference} whole />
      {provider_reference !== null && (
        <>
          , they call it <Id id={provider_reference} whole />
        </>
      )}
      .{decline_code !== null && ` Declined: ${decline_code}.`}
      {fault_code !== null && ` Last fault: ${fault_code}.`}
      {next_check_at !== null && (
        <>
          {' '}
          They are asked again <Soon at={next_check_at} />.
        </>
      )}
      {resend_at !== null && (
        <>
          {' '}
          It is sent again <Soon at={resend_at} />.
        </>
      )}
    </p>
  )
}

/** What is due is about to happen, not past. */
function Soon({ at }: { at: string }) {
  return Date.parse(at) - Date.now() < soonMs ? 'in a moment' : <Time at={at} />
}
