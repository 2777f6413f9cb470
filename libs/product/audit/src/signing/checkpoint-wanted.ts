/** The channel on which a process asks the one that builds the log for a checkpoint now. A hint. */
export const checkpointWanted = 'parley_checkpoint_wanted';
