/** The postings of a payment or an invoice as sentences, the oldest first. The accounts are shown on request. */
import type { LedgerPosting } from '@switchyard/sdk'
import { useState } from 'react'
import { useObject } from '../../api/queries.ts'
import { sentenceCase } from '../../format/text.ts'
import { ObjectLink } from '../../shell/object-link.tsx'
import { CheckField } from '../../ui/fields.tsx'
import { Loaded } from '../../ui/states.tsx'
import { type Column, PlainTable } from '../../ui/table.tsx'
import { Time } from '../../ui/values.tsx'
import { useAccountName } from '../accounts.ts'
import { CustomerName } from '../billing/names.tsx'
import { postingText, sortPostings } from './posting-text.ts'

const maxPostings = 100

export function Ledger({
  noun,
  id,
  clock,
}: {
  noun: 'payment' | 'invoice'
  id: string
  clock: string | null
}) {
  const [showsAccounts, setShowsAccounts] = useState(false)
  const postings = useObject([noun, id, 'ledger'], (api) =>
    api.ledgerPostings.list({ object_id: id, limit: maxPostings }).page(),
  )
  const columns: readonly Column<LedgerPosting>[] = [
    {
      title: 'Movement',
      phone: true,
      cell: (posting) => <PostingSentence posting={posting} pageId={id} />,
    },
    ...(showsAccounts ? accountColumns : []),
    {
      title: 'Time',
      align: 'right',
      cell: ({ effective_at }) => <Time at={effective_at} clock={clock} />,
    },
  ]
  return (
    <Loaded query={postings}>
      {({ data }) => (
        <>
          {data.length > 0 && (
            <div className="border-b border-line px-4 py-2">
              <CheckField
                label="Show debit and credit accounts"
                checked={showsAccounts}
                onChange={setShowsAccounts}
              />
            </div>
          )}
          <PlainTable
            label="Ledger"
            columns={columns}
            rows={sortPostings(data)}
            keyOf={(posting) => posting.id}
            empty="No money has moved yet."
          />
        </>
      )}
    </Loaded>
  )
}

const accountColumns: readonly Column<LedgerPosting>[] = [
  { title: 'Debit', phone: true, cell: ({ debit }) => sentenceCase(debit.account) },
  { title: 'Credit', phone: true, cell: ({ credit }) => sentenceCase(credit.account) },
]

function PostingSentence({ posting, pageId }: { posting: LedgerPosting; pageId: string }) {
  const { text, objectId } = postingText(posting, pageId, useAccountName())
  return (
    <>
      {text}
      {objectId !== null && ' '}
      {objectId !== null && <ObjectName id={objectId} />}
    </>
  )
}

function ObjectName({ id }: { id: string }) {
  if (id.startsWith('invoice_')) return <InvoiceNumber id={id} />
  return id.startsWith('customer_') ? <CustomerName id={id} /> : <ObjectLink id={id} />
}

function InvoiceNumber({ id }: { id: string }) {
  const { data } = useObject(['invoice', id], (api, signal) => api.invoices.get(id, { signal }))
  return data?.number == null ? <ObjectLink id={id} /> : <ObjectLink id={id}>{data.number}</ObjectLink>
}
