/** A button on every block of code. What became of it is said once, to everybody. */
import { make } from './make.ts'

const thanksMs = 1_500

export function offerCopies(): void {
  const blocks = document.querySelectorAll<HTMLElement>('.code')
  // Browsers give the clipboard to pages from a safe origin alone.
  if (navigator.clipboard === undefined || blocks.length === 0) return
  const said = make('p', { role: 'status', className: 'said' })
  for (const block of blocks) block.append(buttonFor(block, said))
  document.getElementById('content')?.append(said)
}

function buttonFor(block: HTMLElement, said: HTMLElement): HTMLButtonElement {
  const button = make('button', { type: 'button', className: 'copy' })
  const label = block.querySelector('pre')?.ariaLabel ?? 'Code'
  const show = (word: string): void => {
    button.textContent = word
    button.ariaLabel = `${word}: ${label}`
  }
  button.addEventListener('click', async () => {
    const word = (await isCopied(block.querySelector('code')?.textContent ?? '')) ? 'Copied' : 'Not copied'
    show(word)
    said.textContent = word
    setTimeout(() => {
      show('Copy')
      said.textContent = ''
    }, thanksMs)
  })
  show('Copy')
  return button
}

/** Readers and their browsers may refuse it. */
async function isCopied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}
