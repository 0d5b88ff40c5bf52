import type { Invoice } from '@switchyard/sdk'
import { useState } from 'react'
import { useApi, useMay } from '../../../api/workspace.tsx'
import { Button } from '../../../ui/button.tsx'
import { sentenceOf } from '../../../ui/states.tsx'
import { useToast } from '../../../ui/toast.tsx'

export function DownloadPdf({ invoice: { id, number, status } }: { invoice: Invoice }) {
  const api = useApi()
  const may = useMay()
  const toast = useToast()
  const [isBusy, setBusy] = useState(false)
  const download = async () => {
    setBusy(true)
    try {
      const bytes = await api.invoices.pdf(id)
      // A copy of its own: a blob does not take what other threads might share.
      save(new Blob([new Uint8Array(bytes)], { type: 'application/pdf' }), `${number ?? id}.pdf`)
    } catch (error) {
      toast(sentenceOf(error as Error))
    } finally {
      setBusy(false)
    }
  }
  const refused =
    may('invoices.pdf') ?? (status === 'draft' ? 'A draft has no number, so it has no PDF yet.' : null)
  return (
    <Button isBusy={isBusy} refused={refused} onClick={() => void download()}>
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
