import type { Invoice } from '@switchyard/sdk'
import { useState } from 'react'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { Button } from '../../../ui/button.tsx'
import { errorText } from '../../../ui/states.tsx'
import { useToast } from '../../../ui/toast.tsx'

export function DownloadPdf({ invoice: { id, number, status } }: { invoice: Invoice }) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const toast = useToast()
  const [isBusy, setBusy] = useState(false)
  const download = async () => {
    setBusy(true)
    try {
      const bytes = await api.invoices.pdf(id)
      // Copied, because the type of `Blob` does not accept a buffer that could be shared between threads.
      save(new Blob([new Uint8Array(bytes)], { type: 'application/pdf' }), `${number ?? id}.pdf`)
    } catch (error) {
      toast(errorText(error as Error))
    } finally {
      setBusy(false)
    }
  }
  const disabledReason =
    disabledReasonFor('invoices.pdf') ??
    (status === 'draft' ? 'A draft invoice has no number and no PDF yet.' : null)
  return (
    <Button isBusy={isBusy} disabledReason={disabledReason} onClick={() => void download()}>
      Download PDF
    </Button>
  )
}

function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob)
  const link = Object.assign(document.createElement('a'), { href: url, download: name })
  link.click()
  URL.revokeObjectURL(url)
}
