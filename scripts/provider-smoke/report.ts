/** The results of the steps, each printed in one line. */

export type StepResult = {
  readonly name: string
  readonly status: 'ok' | 'failed' | 'not supported'
  readonly detail: string
}

/** A step failed. The message states what was expected and what happened. */
export class SmokeFault extends Error {}

type Detailed = { readonly detail: string }

export type Report = {
  readonly results: readonly StepResult[]
  /**
   * Runs a step, unless the connector does not support it for the given reason. The result is null if the step failed or
   * is not supported.
   */
  step<T extends Detailed>(
    name: string,
    run: () => Promise<T>,
    unsupported?: string | null,
  ): Promise<T | null>
}

type ReportOptions = {
  print(line: string): void
  /** Called before each step. */
  onStep(name: string): void
}

export function createReport({ print, onStep }: ReportOptions): Report {
  const results: StepResult[] = []
  const add = (name: string, status: StepResult['status'], detail: string) => {
    results.push({ name, status, detail })
    print(`${status.padEnd(13)}  ${name}: ${detail}`)
  }

  return {
    results,
    async step(name, run, unsupported = null) {
      if (unsupported !== null) {
        add(name, 'not supported', unsupported)
        return null
      }
      onStep(name)
      try {
        const result = await run()
        add(name, 'ok', result.detail)
        return result
      } catch (error) {
        // Other errors are bugs of the connector or of this script.
        add(name, 'failed', error instanceof SmokeFault ? error.message : String(error))
        return null
      }
    },
  }
}
