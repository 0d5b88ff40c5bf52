/** The operations at providers and their requests. Request and response bodies are not stored. */
import type { Operation } from '@switchyard/sdk'
import { sentenceCase } from '../../../format/text.ts'
import { Status } from '../../../ui/status.tsx'
import { type Column, PlainTable } from '../../../ui/table.tsx'
import { Duration, Id, Money, Time } from '../../../ui/values.tsx'
import { useAccountName } from '../../accounts.ts'

type Call = Operation['calls'][number]

const soonMs = 5_000

const columns: readonly Column<Call>[] = [
  {
    title: 'Request',
    phone: true,
    cell: ({ step }) => <span className="font-mono text-compact">{step}</span>,
  },
  { title: 'Response', phone: true, cell: (call) => responseOf(call) },
  { title: 'Outcome', cell: ({ outcome, fault_code }) => outcomeText(outcome, fault_code) },
  {
    title: 'Request / response bytes',
    align: 'right',
    cell: ({ request_bytes, answer_bytes }) => `${request_bytes} / ${answer_bytes}`,
  },
  {
    title: 'Duration',
    align: 'right',
    phone: true,
    cell: ({ duration_ms }) => <Duration ms={duration_ms} />,
  },
  { title: 'Time', align: 'right', cell: ({ created_at }) => <Time at={created_at} exact /> },
]

function responseOf({ status, may_have_been_sent }: Call): string {
  if (status !== null) return String(status)
  return may_have_been_sent ? 'No response' : 'Not sent'
}

function outcomeText(outcome: string, fault: string | null): string {
  return fault === null ? sentenceCase(outcome) : `${sentenceCase(outcome)} (${fault})`
}

export function Messages({ operations }: { operations: readonly Operation[] }) {
  const nameOf = useAccountName()
  if (operations.length === 0) return <p className="p-4 text-ink2">No provider was called.</p>
  return (
    <ul>
      {operations.map((operation) => (
        <li key={operation.id} className="border-b border-line last:border-0">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 pt-3">
            <h3 className="font-bold">
              {sentenceCase(operation.kind)} at {nameOf(operation.provider_account_id)}
            </h3>
            <Status status={operation.status} />
            <Money amount={operation.amount} currency={operation.currency} />
          </div>
          <div className="px-4 pb-2">
            <OperationDetail operation={operation} />
          </div>
          <PlainTable
            label={`Requests: ${operation.kind}`}
            columns={columns}
            rows={operation.calls}
            keyOf={({ created_at, step }) => `${created_at} ${step}`}
            empty="No requests yet."
          />
        </li>
      ))}
    </ul>
  )
}

/** References, errors and the next check of an operation. */
export function OperationDetail({ operation }: { operation: Operation }) {
  const { reference, provider_reference, decline_code, fault_code, next_check_at, resend_at } = operation
  return (
    <p className="text-compact text-ink2">
      Our reference <Id id={reference} full />
      {provider_reference !== null && (
        <>
          , provider reference <Id id={provider_reference} full />
        </>
      )}
      .{decline_code !== null && ` Declined: ${decline_code}.`}
      {fault_code !== null && ` Last error: ${fault_code}.`}
      {next_check_at !== null && (
        <>
          {' '}
          The provider is checked again <DueSoon at={next_check_at} />.
        </>
      )}
      {resend_at !== null && (
        <>
          {' '}
          The request is sent again <DueSoon at={resend_at} />.
        </>
      )}
    </p>
  )
}

/** A time that is due or less than 5 seconds away is shown as "in a moment". */
function DueSoon({ at }: { at: string }) {
  return Date.parse(at) - Date.now() < soonMs ? 'in a moment' : <Time at={at} />
}
