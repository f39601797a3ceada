export interface CapturedOutput {
    readonly stdout: string;
    readonly stderr: string;
}
/**
 * Does work and keeps what it writes to the standard streams. Calls must not overlap.
 *
 * @param onWrite - called after each write with all that was written
 */
export declare function withCapturedOutput<T>(work: () => Promise<T>, onWrite?: (written: CapturedOutput) => void): Promise<CapturedOutput & {
    readonly result: T;
}>;
/** Does work with these variables and no others. Calls must not overlap. */
export declare function withEnvironment<T>(env: NodeJS.ProcessEnv, work: () => Promise<T>): Promise<T>;
