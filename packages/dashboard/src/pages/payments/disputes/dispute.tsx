/** One dispute: its deadline, amounts, evidence and events. */
import type { Dispute } from '@switchyard/sdk'
import { sentenceCase } from '../../../format/text.ts'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { Json } from '../../../ui/code.tsx'
import { Columns, Facts, PageHead, Panel, Sentence } from '../../../ui/panel.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { Id, Money, Time } from '../../../ui/values.tsx'
import { useAccountName } from '../../accounts.ts'
import { ObjectEvents } from '../events.tsx'
import { ObjectPage } from '../object-page.tsx'
import { DisputeActions } from './actions.tsx'
import { DisputeStatus } from './columns.tsx'
import { Evidence } from './evidence.tsx'
import { disputeSentence } from './state.ts'

const list = { text: 'Disputes', to: '/disputes' }

export function Page() {
  return (
    <ObjectPage
      noun="dispute"
      title="Dispute"
      list={list}
      read={(api, id, signal) => api.disputes.get(id, { signal })}
    >
      {(dispute) => <DisputeView dispute={dispute} />}
    </ObjectPage>
  )
}

function DisputeView({ dispute }: { dispute: Dispute }) {
  const tabs = [
    { id: 'evidence', text: 'Evidence', content: () => <Evidence dispute={dispute} /> },
    { id: 'events', text: 'Events', content: () => <ObjectEvents id={dispute.id} noun="dispute" /> },
    {
      id: 'json',
      text: 'JSON',
      content: () => (
        <div className="p-4">
          <Json value={dispute} label="dispute JSON" />
        </div>
      ),
    },
  ]
  return (
    <>
      <PageHead
        crumbs={[list, { text: dispute.id }]}
        title={
          <span className="text-amount">
            <Money amount={dispute.amount} currency={dispute.currency} />
          </span>
        }
        titleExtra={<DisputeStatus dispute={dispute} />}
        actions={<DisputeActions dispute={dispute} />}
      >
        <div className="mt-3">
          <Sentence>{disputeSentence(dispute)}</Sentence>
        </div>
        {dispute.response_error !== null && (
          <p role="alert" className="mt-3 rounded-control bg-danger-soft p-3 text-danger">
            The provider refused your response: {dispute.response_error.message}
          </p>
        )}
      </PageHead>
      <Columns main={<Tabs label="Dispute details" tabs={tabs} />} side={<Side dispute={dispute} />} />
    </>
  )
}

function Side({ dispute }: { dispute: Dispute }) {
  const nameOf = useAccountName()
  const { fee, network_reason_code: code } = dispute
  const reason = sentenceCase(dispute.reason)
  return (
    <Panel title="Dispute">
      <Facts
        facts={[
          ['Payment', <ObjectLink key="payment" id={dispute.payment_id} />],
          ['Stage', sentenceCase(dispute.stage)],
          ['Reason', code === null ? reason : `${reason} (${code})`],
          ['Respond by', dispute.respond_by_at && <Time at={dispute.respond_by_at} exact />],
          ['Held', <Money key="held" amount={dispute.amount_held} currency={dispute.currency} />],
          ['Fee', fee && <Money amount={fee.amount} currency={fee.currency} />],
          [
            'Provider',
            <ObjectLink key="account" id={dispute.provider_account_id}>
              {nameOf(dispute.provider_account_id)}
            </ObjectLink>,
          ],
          ['Reference', <Id key="reference" id={dispute.provider_reference} full />],
          ['Created', <Time key="created" at={dispute.created_at} exact />],
          ['Ended', dispute.ended_at && <Time at={dispute.ended_at} exact />],
        ]}
      />
    </Panel>
  )
}
