import { type Browser, type BrowserContext, type Page } from 'puppeteer-core';
/** What a person enters. */
export interface Entries {
    readonly email: string;
    readonly topics?: readonly string[];
    /** `YYYY-MM-DD` */
    readonly birthday?: string;
}
/** What the live view shows of one subscription. */
export interface Arrival {
    readonly status: string;
    /** Label to value, as displayed. */
    readonly facts: Readonly<Record<string, string>>;
    /** Milliseconds from the button to the display, as the page measured it. */
    readonly took: number | undefined;
}
export interface BrowserSession {
    readonly browser: Browser;
    /** Closes what tests opened: live views left open would use up the connections a browser has for one site. */
    closePages(): Promise<void>;
    close(): Promise<void>;
}
/**
 * Opens a browser of its own; Firefox is spoken to by WebDriver BiDi, which any Firefox understands.
 *
 * @param executablePath - by default the browser of the machine
 */
export declare function openBrowser(engine?: 'chromium' | 'firefox', executablePath?: string | undefined): Promise<BrowserSession>;
/** Opens the demo page and waits until the tag and the live view work. What the page complains about is collected. */
export declare function visit(browser: Browser | BrowserContext, url: string): Promise<{
    page: Page;
    complaints: string[];
}>;
/** Collects what a page complains about. */
export declare function watchConsole(page: Page, complaints: string[]): void;
/** Types, ticks, picks and presses the button. */
export declare function subscribe(page: Page, { email, topics, birthday }: Entries): Promise<void>;
/** What the form says beside a control, once it does. */
export declare function problem(page: Page): Promise<string>;
/** Presses the form's button. */
export declare function press(page: Page): Promise<void>;
/** What stands in the field for the address. */
export declare function typedAddress(page: Page): Promise<string>;
/** What the form says, once it says something of this kind. */
export declare function notice(page: Page, kind: 'success' | 'error'): Promise<string>;
/** Waits until the live view shows this address. */
export declare function arrivalOf(page: Page, email: string): Promise<Arrival>;
/** Whether the newest arrival has this address and is inside the window as a whole, without scrolling. */
export declare function showsArrivalInWindow(page: Page, email: string): Promise<boolean>;
