import type { DunningCampaign, Invoice } from '@switchyard/sdk'
import { useParams } from '@tanstack/react-router'
import { useObject } from '../../../api/queries.ts'
import { moneyText } from '../../../format/money.ts'
import { dateTimeText } from '../../../format/time.ts'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { PageLoaded } from '../../../ui/page-loaded.tsx'
import { Columns, Facts, PageHead, Panel, Sentence } from '../../../ui/panel.tsx'
import { Status } from '../../../ui/status.tsx'
import { PlainTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import { CustomerName } from '../names.tsx'
import { CampaignActs } from './acts.tsx'
import { InvoiceAmount, useInvoice } from './amount.tsx'
import { campaignSentence, finalText, movedWords, outcomeOf, type Step, stageText } from './words.ts'

export function Page() {
  const { id } = useParams({ strict: false }) as { id: string }
  const found = useObject(['dunning_campaign', id], (api, signal) => api.dunningCampaigns.get(id, { signal }))
  return (
    <PageLoaded of={found} title="Campaign">
      {(campaign) => <Shown campaign={campaign} />}
    </PageLoaded>
  )
}

function Shown({ campaign }: { campaign: DunningCampaign }) {
  const { data: invoice } = useInvoice(campaign.invoice_id)
  return (
    <>
      <PageHead
        crumbs={[{ text: 'Dunning', to: '/dunning' }, { text: campaign.id }]}
        title={invoice === undefined ? 'Campaign' : titleOf(campaign, invoice)}
        beside={<Status of={campaign.status} />}
        actions={<CampaignActs campaign={campaign} />}
      >
        <div className="mt-2">
          <Sentence>{campaignSentence(campaign)}</Sentence>
        </div>
      </PageHead>
      <Columns main={<Tries campaign={campaign} />} side={<Details campaign={campaign} />} />
    </>
  )
}

function titleOf({ status }: DunningCampaign, { amount_due, currency }: Invoice): string {
  const sum = moneyText(amount_due, currency)
  return status === 'running' ? `${sum} in dunning` : `Campaign for ${sum}`
}

function Tries({ campaign }: { campaign: DunningCampaign }) {
  return (
    <Panel title="Tries" beside={stageText(campaign)} flush>
      <PlainTable<Step>
        label="Tries of this campaign"
        rows={campaign.steps}
        keyOf={({ planned_at, due_at }) => `${planned_at} ${due_at}`}
        empty="No further try is planned."
        columns={[
          {
            title: 'When',
            cell: ({ attempted_at, due_at }) => dateTimeText(attempted_at ?? due_at),
            phone: true,
          },
          {
            title: 'What came of it',
            cell: (step) => <Outcome step={step} campaign={campaign} />,
            phone: true,
          },
          { title: 'Why then', cell: ({ moved }) => (moved === null ? 'as planned' : movedWords[moved]) },
          { title: 'Payment', cell: ({ payment_id }) => <ObjectLink id={payment_id} /> },
        ]}
      />
    </Panel>
  )
}

function Outcome({ step, campaign }: { step: Step; campaign: DunningCampaign }) {
  const outcome = outcomeOf(campaign, step)
  return outcome === 'failed' ? <Status of="declined">{step.code ?? ''}</Status> : <Status of={outcome} />
}

function Details({ campaign }: { campaign: DunningCampaign }) {
  const { policy } = campaign
  return (
    <>
      <Panel title="Details">
        <Facts
          of={[
            ['Customer', <CustomerName key="customer" id={campaign.customer_id} />],
            ['Subscription', <ObjectLink key="subscription" id={campaign.subscription_id} />],
            ['Invoice', <ObjectLink key="invoice" id={campaign.invoice_id} />],
            ['Amount', <InvoiceAmount key="amount" id={campaign.invoice_id} />],
            ['First failed', <Time key="failed" at={campaign.failed_at} exact />],
            ['Ends by', <Time key="ends" at={campaign.ends_at} exact />],
          ]}
        />
      </Panel>
      <Panel title="Policy">
        <p>
          It is tried again {policy.retry_days.join(', ')} days after the first failure, around{' '}
          {policy.local_hour}:00 UTC. In the end {finalText(campaign)}. Access is{' '}
          {policy.grace === 'campaign' ? 'granted meanwhile' : 'not granted meanwhile'}.
        </p>
      </Panel>
    </>
  )
}
