import type { DunningCampaign } from '@switchyard/sdk'
import { useState } from 'react'
import { useReread } from '../../../api/queries.ts'
import { useApi, useMay } from '../../../api/workspace.tsx'
import { moneyText } from '../../../format/money.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { Button } from '../../../ui/button.tsx'
import { useInvoice } from './amount.tsx'

type Open = 'retry' | 'stop' | null

export function CampaignActs({
  campaign,
  compact = false,
}: {
  campaign: DunningCampaign
  compact?: boolean
}) {
  const [open, setOpen] = useState<Open>(null)
  const may = useMay()
  if (campaign.status !== 'running') return null
  return (
    <span className="inline-flex flex-wrap gap-2">
      <Button compact={compact} refused={may('dunning_campaigns.retry')} onClick={() => setOpen('retry')}>
        Retry now…
      </Button>
      <Button
        compact={compact}
        look="danger"
        refused={may('dunning_campaigns.stop')}
        onClick={() => setOpen('stop')}
      >
        Stop…
      </Button>
      {open !== null && <CampaignAct campaign={campaign} act={open} close={() => setOpen(null)} />}
    </span>
  )
}

function CampaignAct(props: { campaign: DunningCampaign; act: 'retry' | 'stop'; close: () => void }) {
  const { campaign, act, close } = props
  const api = useApi()
  const may = useMay()
  const reread = useReread()
  const { data: invoice } = useInvoice(campaign.invoice_id)
  const sum = invoice === undefined ? '' : moneyText(invoice.amount_remaining, invoice.currency)
  const isRetry = act === 'retry'
  return (
    <ActionDialog
      title={isRetry ? 'Try it now' : 'Stop this campaign'}
      intro={
        isRetry
          ? `${sum} is asked for at once, with the card that is there. It uses up the next try.`
          : `Nothing is tried any more. The invoice of ${sum} stays open.`
      }
      submit={isRetry ? `Charge ${sum} now` : 'Stop the campaign'}
      danger={!isRetry}
      refused={may(`dunning_campaigns.${act}`)}
      call={{
        method: 'POST',
        path: `/dunning-campaigns/${campaign.id}/${act}`,
        sdk: { method: `dunningCampaigns.${act}`, args: [campaign.id] },
      }}
      run={async (key) => {
        await api.dunningCampaigns[act](campaign.id, key)
        await reread('dunning_campaign', 'invoice', 'subscription')
      }}
      done={isRetry ? 'The try is under way.' : 'The campaign is stopped.'}
      onDone={close}
      onCancel={close}
    />
  )
}
