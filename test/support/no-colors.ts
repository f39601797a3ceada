/** Lets commands that tests start print without colours, also where the caller, such as CI, asks for them. */
delete process.env['FORCE_COLOR'];
